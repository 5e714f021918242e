/** Converts connection arguments to a keyset slice, and the rows of the slice to a connection. */
import { MAX_TIMESTAMP_MS, type Order, type Position, type Slice } from '../platform/database/keyset.js';
import { invalid } from '../platform/errors.js';
import type { Version } from '../platform/http/conditional.js';
import { createMessage } from '../platform/messages/message.js';
import { parseObject } from '../platform/text.js';
import type { Connection, ConnectionArgs } from '../schema/connection.js';
import { DEFAULT_PAGE_SIZE } from '../schema/page.js';

/** The SQL type of the key that a list is ordered by. */
type KeyType = Order['type'];

export interface Found<Node> {
  contents: Node[];
  positions: Position[];
  /** The size of the whole list; any number if it is not selected. */
  total: number;
  /** Of a list with a stamp. */
  version?: Version | null;
  /** The fields that the page has besides those of every page. */
  fields?: object;
}

/** A list, of which slices are read. */
export interface List<Node> {
  /** Its name in cursors; those of another list are rejected. */
  readonly order: string;
  readonly type: KeyType;
  /** @param slice with an offset for a numbered page */
  find(slice: Slice): Promise<Found<Node>>;
}

/** @throws AppError VALIDATION_FAILED */
export async function readConnection<Node>({ order, type, find }: List<Node>, args: ConnectionArgs) {
  return toConnection(await find(connectionSlice(args, order, type)), args, order);
}

/**
 * The slice has one element more than requested, to determine whether there is another page.
 * @param order name of the list's order; cursors of another order are rejected
 * @throws AppError VALIDATION_FAILED
 */
function connectionSlice({ first, after, last, before }: ConnectionArgs, order: string, type: KeyType): Slice {
  if (first != null && last != null) throw invalid('last', createMessage('cannotCombineWithFirst'));
  return {
    limit: (first ?? last ?? DEFAULT_PAGE_SIZE) + 1,
    after: readCursor('after', after, order, type),
    before: readCursor('before', before, order, type),
    isBackward: last != null,
  };
}

/** Converts the rows of the slice that `connectionSlice` returned. */
function toConnection<Node>(
  { contents, positions, total }: Found<Node>,
  { first, after, last, before }: ConnectionArgs,
  order: string,
): Connection<Node> {
  const size = first ?? last ?? DEFAULT_PAGE_SIZE;
  const hasMore = contents.length > size;
  const start = last != null && hasMore ? 1 : 0;
  const edges = contents.slice(start, start + size).map((node, index) => {
    const position = positions[start + index] as Position;
    return { node, cursor: writeCursor(order, position) };
  });
  // Relay's specification, §4.4: opposite to the paging direction, a given cursor implies that there is another page.
  const [hasNextPage, hasPreviousPage] = last != null ? [before != null, hasMore] : [hasMore, after != null];
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null];
  return { totalCount: total, edges, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } };
}

function writeCursor(order: string, { key, id }: Position): string {
  return Buffer.from(JSON.stringify([order, key, id])).toString('base64url');
}

function readCursor(field: string, cursor: string | null | undefined, order: string, type: KeyType) {
  if (cursor == null) return undefined;
  const content = parseObject(Buffer.from(cursor, 'base64url').toString());
  const [of, key, id]: unknown[] = Array.isArray(content) ? content : [];
  if (of === order && typeof key === 'string' && isKey[type](key) && Number.isSafeInteger(id) && Number(id) > 0) {
    return { key, id: Number(id) };
  }
  throw invalid(field, createMessage('invalidCursor'));
}

/** Rejects cursor keys that would cause an error in PostgreSQL. */
const isKey: Record<KeyType, (key: string) => boolean> = {
  timestamptz: (key) => /^\d{1,15}$/.test(key) && Number(key) <= MAX_TIMESTAMP_MS,
  bigint: (key) => /^\d{1,15}$/.test(key),
  integer: (key) => /^\d{1,9}$/.test(key),
  text: (key) => key.length <= 1_000 && key.isWellFormed() && !key.includes('\0'),
};
