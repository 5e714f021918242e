/** Runs `daybook changes`. */
import { RESET_CHANGES } from '../../models/change.js';
import { asOperator, type OperatorOptions } from '../operator.js';
import type { Terminal } from '../terminal.js';

export function runReset(options: OperatorOptions, terminal: Terminal): Promise<number> {
  return asOperator(terminal, 'changes reset', options, async (operator) => {
    await operator.confirm('All copies of the journal have to be made again');
    await operator.database.query(RESET_CHANGES, []);
    operator.print('The feed of changes was reset: a running service fills it again.');
  });
}
