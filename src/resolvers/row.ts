/** Rows that have to be there. */
import { AppError, type ErrorKey } from '../errors.js';

/** @throws AppError with `key` where there is no such row */
export function requireRow<Row>(row: Row | null | undefined, key: ErrorKey): Row {
  if (row == null) throw new AppError(key);
  return row;
}
