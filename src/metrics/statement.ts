/** How long statements take, by the name that the code gives them. */
import { Histogram } from 'prom-client';
import { registry } from './registry.js';

const seconds = new Histogram({
  name: 'daybook_sql_statement_duration_seconds',
  help: 'From sending a statement to its last row. `statement` is its name in the code, or what it does where it has none.',
  labelNames: ['statement', 'outcome'] as const,
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5],
  registers: [registry],
});

export function observeStatement(statement: string, isDone: boolean, duration: number): void {
  seconds.observe({ statement, outcome: isDone ? 'done' : 'failed' }, duration);
}
