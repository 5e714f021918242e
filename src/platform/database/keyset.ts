/** SQL for pagination of lists: by limit and offset, or by keyset from a position. */

/** Sort order: by a key, then by id in the same direction. */
export interface Order {
  /** An SQL expression; an index on it and the id exists. */
  readonly key: string;
  readonly type: 'timestamptz' | 'bigint' | 'integer' | 'text';
  readonly isDescending: boolean;
}

/** Position of a row in an order. */
export interface Position {
  /** The key as text; a timestamp as milliseconds since 1970-01-01 UTC. */
  readonly key: string;
  readonly id: number;
}

/** Of a timestamp in a cursor, in milliseconds since 1970. 9999 is the last year that both JavaScript and PostgreSQL write with four digits. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31);

/** A range of rows of a list: at most `limit` rows, after `offset` rows or between two positions. */
export interface Slice {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: Position | undefined;
  readonly before?: Position | undefined;
  /** Selects the last rows in place of the first; the result is still in the order of the list. */
  readonly isBackward?: boolean;
}

/** The parameter values of a dynamically composed statement. */
export class Bindings {
  constructor(readonly values: unknown[] = []) {}

  /** @returns the placeholder of the value with a cast, such as `$1::bigint` */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }
}

export interface KeysetQuery {
  /** The content of the `from` clause. */
  readonly source: string;
  /** The id column in `source`. */
  readonly id: string;
  readonly conditions: readonly string[];
  readonly order: Order;
  /** The list is a part of a table that has an index in this order for the table as well. */
  readonly part?: Part | undefined;
  /** An SQL expression of the outer query for the number of rows in the list: with a larger offset, no rows are scanned. */
  readonly total?: string;
}

/**
 * The rows with one value of a column, read from the index that begins with this column. Without it, PostgreSQL may scan the whole table in the order of the list and
 * expect to meet enough matching rows early, which is wrong for rare values. The order therefore begins with the column. The condition is an array, because
 * PostgreSQL would remove a column with one value from the order.
 */
export interface Part {
  readonly column: string;
  /** An SQL expression. */
  readonly value: string;
}

export const isInPart = ({ column, value }: Part): string => `${column} = any(array[${value}])`;

/** All conditions on the rows of a list. */
export const conditionsWith = ({ part, conditions }: Pick<KeysetQuery, 'part' | 'conditions'>): string[] => [
  ...(part ? [isInPart(part)] : []),
  ...conditions,
];

/** A query for the ids of a slice. It is an index-only scan if an index covers the conditions and the order. */
export function keysetIds(
  { source, id, conditions, order, part, total }: KeysetQuery,
  slice: Slice,
  bindings: Bindings,
): string {
  const where = [...conditionsWith({ part, conditions }), ...boundsOf(order, id, slice, bindings)].join(' and ');
  return `select ${id} from ${source}${where && ` where ${where}`}
    ${inOrder(scannedOrder(order, slice), id, part)} ${limitOf(slice, total, bindings)}`;
}

/** The conditions of a slice between two positions. */
export function boundsOf(order: Order, id: string, { after, before }: Slice, bindings: Bindings): string[] {
  const position = ({ key, id }: Position) =>
    `(${bindings.add(keyValue(order, key), order.type)}, ${bindings.add(id, 'bigint')})`;
  const bounds = [
    after && `(${order.key}, ${id}) ${order.isDescending ? '<' : '>'} ${position(after)}`,
    before && `(${order.key}, ${id}) ${order.isDescending ? '>' : '<'} ${position(before)}`,
  ];
  return bounds.filter((bound) => bound !== undefined);
}

/** The order in which the rows of a slice are read: the last ones are the first in the opposite order. */
export function scannedOrder(order: Order, { isBackward = false }: Slice): Order {
  return { ...order, isDescending: order.isDescending !== isBackward };
}

/** @returns a `limit` clause, and an `offset` clause for a numbered page */
export function limitOf({ limit, offset }: Slice, total: string | undefined, bindings: Bindings): string {
  const max = bindings.add(limit, 'integer');
  if (offset === undefined) return `limit ${max}`;
  const skipped = bindings.add(offset, 'bigint');
  return `limit ${total === undefined ? max : `case when ${skipped} < ${total} then ${max} else 0 end`} offset ${skipped}`;
}

/** The SQL expression for the key of a `Position`. */
export function keyText({ key, type }: Order): string {
  return type === 'timestamptz' ? `milliseconds_of(${key})::text` : `(${key})::text`;
}

function keyValue({ type }: Order, key: string): string {
  return type === 'timestamptz' ? new Date(Number(key)).toISOString() : key;
}

/** The `order by` clause of the list, for rows selected by id. */
export function inOrder({ key, isDescending }: Order, id: string, part?: Part): string {
  const direction = isDescending ? 'desc' : 'asc';
  const columns = [...(part ? [part.column] : []), key, id];
  return `order by ${columns.map((column) => `${column} ${direction}`).join(', ')}`;
}
