/** Rows that have to be there. */

import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';

/** @throws AppError with `key` where there is no such row */
export function requireRow<Row>(row: Row | null | undefined, key: ErrorKey): Row {
  if (row == null) throw new AppError(key);
  return row;
}
