/** Converts a GraphQL ID to a row ID, and requires its row: a missing one is reported with the error key of its resource. */
import { type ErrorKey } from '../platform/error-keys.js';
import { AppError } from '../platform/errors.js';

/** @throws AppError with `key` if there is no row */
export function requireRow<Row>(row: Row | null | undefined, key: ErrorKey): Row {
  if (row == null) throw new AppError(key);
  return row;
}

/** @throws AppError with `key` if the id is not a safe integer, and therefore beyond the range of any row */
export function parseId(id: string, key: ErrorKey): number {
  const number = Number(id);
  if (!Number.isSafeInteger(number)) throw new AppError(key);
  return number;
}

/** @returns 0 for no article, null if nothing is said */
export function parseTranslationOf(id: string | null | undefined): number | null {
  if (id == null) return null;
  return id === '0' ? 0 : parseId(id, 'ARTICLE_NOT_FOUND');
}
