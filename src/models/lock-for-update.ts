/** Reads a row FOR UPDATE and checks it under the lock, before the transaction changes it. */
import { literal, type Model, type ModelStatic, type Transaction } from 'sequelize';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { hasAccessSql } from './session/access.js';

/**
 * @param missing error key if the row does not exist
 * @param check throws if this row may not be changed
 * @param accessId the UUID of the session or API token, if the request may have waited since its check
 * @throws AppError UNAUTHENTICATED if the session or API token has ended; with the key `missing`, and the errors of `check`
 */
export async function lockForUpdate<Row extends Model>(
  table: ModelStatic<Row>,
  id: number,
  missing: ErrorKey,
  transaction: Transaction,
  check: (row: Row) => void,
  accessId?: string,
): Promise<Row> {
  const access = accessId === undefined ? null : literal(hasAccessSql(`'${accessId}'`));
  const attributes = { include: access ? [[access, 'hasAccess'] as [typeof access, string]] : [] };
  const row = await table.findByPk(id, { attributes, transaction, lock: transaction.LOCK.UPDATE });
  if (!row) throw new AppError(missing);
  if (accessId !== undefined && !row.get('hasAccess')) throw new AppError('UNAUTHENTICATED');
  check(row);
  return row;
}
