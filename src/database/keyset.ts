/** Parts of lists: the SQL that walks an order to a numbered page, or on from a position. */

/** Rows by a key, then by id in the same direction. */
export interface Order {
  /** An SQL expression; an index holds it with the id. */
  readonly key: string;
  readonly type: 'timestamptz' | 'bigint' | 'integer' | 'text';
  readonly isDescending: boolean;
}

/** Where a row stands in an order. */
export interface Position {
  /** The key as text: of a moment its milliseconds since 1970. */
  readonly key: string;
  readonly id: number;
}

/** Which rows of a list: so many of them, beyond so many others or between two positions. */
export interface Slice {
  readonly limit: number;
  readonly offset?: number;
  readonly after?: Position | undefined;
  readonly before?: Position | undefined;
  /** The last rows in place of the first; in the list's own order all the same. */
  readonly isBackward?: boolean;
}

/** The values of a statement that is put together from parts. */
export class Bindings {
  constructor(readonly values: unknown[] = []) {}

  /** @returns the parameter that stands for the value */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }
}

export interface Walk {
  /** What stands after `from`. */
  readonly source: string;
  /** The id's column in it. */
  readonly id: string;
  readonly conditions: readonly string[];
  readonly order: Order;
  /** An SQL expression for the rows of the whole list, from around the query: beyond them, nothing is walked. */
  readonly total?: string;
}

/** A query for the ids of a slice. It reads an index alone where there is one for its conditions and its order. */
export function walkIds({ source, id, conditions, order, total }: Walk, slice: Slice, bindings: Bindings): string {
  const isDescending = order.isDescending !== (slice.isBackward ?? false);
  const position = ({ key, id }: Position) =>
    `(${bindings.add(keyValue(order, key), order.type)}, ${bindings.add(id, 'bigint')})`;
  const bounds = [
    slice.after && `(${order.key}, ${id}) ${order.isDescending ? '<' : '>'} ${position(slice.after)}`,
    slice.before && `(${order.key}, ${id}) ${order.isDescending ? '>' : '<'} ${position(slice.before)}`,
  ];
  const where = [...conditions, ...bounds.filter((bound) => bound !== undefined)].join(' and ');
  const direction = isDescending ? 'desc' : 'asc';
  return `select ${id} from ${source}${where && ` where ${where}`}
    order by ${order.key} ${direction}, ${id} ${direction} ${limitOf(slice, total, bindings)}`;
}

function limitOf({ limit, offset }: Slice, total: string | undefined, bindings: Bindings): string {
  const most = bindings.add(limit, 'integer');
  if (offset === undefined) return `limit ${most}`;
  const skipped = bindings.add(offset, 'bigint');
  return `limit ${total === undefined ? most : `case when ${skipped} < ${total} then ${most} else 0 end`} offset ${skipped}`;
}

/** The expression for the key of a `Position`. */
export function keyText({ key, type }: Order): string {
  return type === 'timestamptz' ? `(extract(epoch from ${key}) * 1000)::bigint::text` : `(${key})::text`;
}

function keyValue({ type }: Order, key: string): string {
  return type === 'timestamptz' ? new Date(Number(key)).toISOString() : key;
}

/** The list's own order, for rows that have been found. */
export function inOrder({ key, isDescending }: Order, id: string): string {
  const direction = isDescending ? 'desc' : 'asc';
  return `order by ${key} ${direction}, ${id} ${direction}`;
}
