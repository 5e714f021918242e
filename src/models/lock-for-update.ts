/** Reads a row FOR UPDATE and checks it under the lock, before the transaction changes it. */
import type { Model, ModelStatic, Transaction } from 'sequelize';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';

/**
 * @param missing error key if the row does not exist
 * @param check throws if this row may not be changed
 * @throws AppError with the key `missing`, and the errors of `check`
 */
export async function lockForUpdate<Row extends Model>(
  table: ModelStatic<Row>,
  id: number,
  missing: ErrorKey,
  transaction: Transaction,
  check: (row: Row) => void,
): Promise<Row> {
  const row = await table.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!row) throw new AppError(missing);
  check(row);
  return row;
}
