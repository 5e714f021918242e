/** A row that a transaction is about to change: under a lock, and checked while nobody else can change it. */
import type { Model, ModelStatic, Transaction } from 'sequelize';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';

/**
 * @param missing the key of the error where there is no such row
 * @param check throws where this row may not be changed
 */
export async function hold<Row extends Model>(
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
