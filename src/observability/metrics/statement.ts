/** Duration of SQL statements, by statement name. */
import { Durations } from './durations.js';

const durations = new Durations({
  name: 'daybook_sql_statement_duration_seconds',
  help: 'Duration from sending a statement to its last row. `statement` is its name in the code, or its SQL verb if it has no name.',
  labels: ['statement', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
});

export function observeStatement(statement: string, isDone: boolean, duration: number): void {
  durations.observe(duration, statement, isDone ? 'done' : 'failed');
}
