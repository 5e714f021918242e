/** Requires that a row exists. */
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';

/** @throws AppError with `key` if there is no row */
export function requireRow<Row>(row: Row | null | undefined, key: ErrorKey): Row {
  if (row == null) throw new AppError(key);
  return row;
}
