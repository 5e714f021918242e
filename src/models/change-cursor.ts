/** Cursors of the feed of changes. Their form is not part of the API. */
import { MAX_TIMESTAMP_MS } from '../platform/database/keyset.js';

/** In place of a cursor: only what changes from now on. */
export const LATEST = 'latest';

export const MAX_CURSOR_LENGTH = 100;

export interface ChangeCursor {
  /** Of the feed, and of the database. */
  readonly generation: string;
  /** Of the last place that was read. */
  readonly position: number;
  /** The highest number when the first pass began; after it, the position. Removals up to it are not needed. */
  readonly horizon: number;
  /** The last comment that was read, at a place that stands for all comments of an article; null at its end, and at other places. */
  readonly inside: { readonly createdMs: number; readonly id: number } | null;
}

/** Before every comment: all times are later. */
export const BEFORE_ALL = { createdMs: Date.parse('0001-01-01') - 1, id: 0 };

const FORM = /^([0-9A-F]{20})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})(?:\.(-?[0-9a-z]{1,11})\.([0-9a-z]{1,11}))?$/i;

export function writeChangeCursor({ generation, position, horizon, inside }: ChangeCursor): string {
  const numbers = [position, horizon, ...(inside ? [inside.createdMs, inside.id] : [])];
  return [generation, ...numbers.map((number) => number.toString(36))].join('.');
}

/** @returns undefined if it is malformed */
export function parseChangeCursor(text: string): ChangeCursor | undefined {
  const [, generation = '', ...parts] = FORM.exec(text) ?? [];
  const [position = Number.NaN, horizon = Number.NaN, createdMs, id] = parts
    .filter((part) => part !== undefined)
    .map((part) => Number.parseInt(part, 36));
  if (![position, horizon, createdMs ?? 0, id ?? 0].every(Number.isSafeInteger)) return undefined;
  if (createdMs !== undefined && (createdMs < BEFORE_ALL.createdMs || createdMs > MAX_TIMESTAMP_MS)) return undefined;
  return {
    generation,
    position,
    horizon,
    inside: createdMs === undefined || id === undefined ? null : { createdMs, id },
  };
}
