/** Column lists: from the one list of a resource follow the SQL that reads a row, the unpacking of packed rows, and the row type. */
import { inOrder, keyText, type Order, type Position } from './keyset.js';

/** A readable column: an SQL expression, and the type of its values. */
export interface Column<Value> {
  readonly sql: string;
  readonly isTimestamp?: boolean;
  readonly usuallyEquals?: string | undefined;
  /** Type of the values; never set at run time. */
  readonly value?: Value;
}

export function column<Value>(sql: string): Column<Value> {
  return { sql };
}

/**
 * A Date in a row; in a packed row a string in PostgreSQL's JSON format, in UTC.
 * @param usuallyEquals the name of a timestamp that this one rarely differs from: a packed row contains null in place of an equal value
 */
export function timestamp(sql: string, { usuallyEquals }: { usuallyEquals?: string } = {}): Column<Date | string> {
  return { sql, isTimestamp: true, usuallyEquals };
}

/** The name of the column whose values are in a row under this name. */
export const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The value of a timestamp. */
export const toDate = (value: Date | string): Date => (typeof value === 'string' ? new Date(`${value}Z`) : value);

type Columns = Readonly<Record<string, Column<unknown>>>;
type RowOf<Of> = { -readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never };

/** The row type of a column list: `Row<typeof COMMENT>`. */
export type Row<List> = List extends ColumnList<infer Of> ? RowOf<Of> : never;

/** A part of a list, with the keyset position of each row. */
export interface RowSlice<Item> {
  contents: Item[];
  positions: Position[];
}

/** SQL expressions in place of those of some columns, such as `null`. */
type Replaced<Name extends PropertyKey> = { readonly [Column in Name]?: string };

interface PackedQuery<Name extends PropertyKey> {
  /** The content of the `from` clause. */
  from: string;
  order: Order;
  /** A query for the ids of the rows. */
  ids: string;
  /** What equals the id in a joined table whose index has it, so that only these rows are joined. Default: the column `id`. */
  id?: string;
  replaced?: Replaced<Name>;
}

export class ColumnList<Of extends Columns> {
  /** The SQL select list of a row. */
  readonly select: string;
  /** Unpacks a row; elements of the tuple after its columns are ignored. */
  readonly unpack: (tuple: readonly unknown[]) => RowOf<Of>;
  /** Number of columns. */
  readonly size: number;
  /** Results of `packed` by what is replaced, of which the code has few variants: composing one takes as long as unpacking a row. */
  readonly #packed = new Map<string, string>();

  constructor(readonly columns: Of) {
    const names = Object.keys(columns);
    const fields = Object.values(columns).map(({ usuallyEquals }, index) => {
      const fallback = usuallyEquals === undefined ? '' : ` ?? tuple[${names.indexOf(usuallyEquals)}]`;
      return `${names[index]}: tuple[${index}]${fallback}`;
    });
    // Compiled from the names of the list, not from input: a loop over the columns takes ten times as long.
    this.unpack = new Function('tuple', `return { ${fields.join(', ')} };`) as typeof this.unpack;
    this.select = names.map((name) => `${columns[name]?.sql} as "${name}"`).join(', ');
    this.size = names.length;
  }

  /** A list without these columns, for statements whose callers know the values. */
  without<Name extends keyof Of>(...names: Name[]): ColumnList<Omit<Of, Name>> {
    const rest = Object.entries(this.columns).filter(([name]) => !names.includes(name as Name));
    return new ColumnList(Object.fromEntries(rest) as Omit<Of, Name>);
  }

  /**
   * The arguments of `json_build_array` for a packed row: a JSON array has fewer bytes than an object, and is faster to parse.
   */
  packed(replaced: Replaced<keyof Of> = {}): string {
    const key = JSON.stringify(replaced);
    const packed = this.#packed.get(key) ?? this.#composePacked(replaced);
    this.#packed.set(key, packed);
    return packed;
  }

  #composePacked(replaced: Replaced<keyof Of>): string {
    const packedColumn = ({ sql, isTimestamp, usuallyEquals }: Column<unknown>) => {
      if (!isTimestamp) return sql;
      return `${usuallyEquals === undefined ? sql : `nullif(${sql}, ${this.columns[usuallyEquals]?.sql})`} at time zone 'UTC'`;
    };
    const columns = Object.entries(this.columns);
    return columns.map(([name, one]) => replaced[name] ?? packedColumn(one)).join(', ');
  }

  /**
   * A query for rows as one JSON text: fewer bytes than as many columns, and faster to parse. The ids are compared with an array
   * (`= any(array(...))`), so that the planner estimates few rows and uses index lookups.
   */
  packedRows({ from, order, ids, id = this.columns.id?.sql ?? '', replaced }: PackedQuery<keyof Of>): string {
    return `select json_agg(json_build_array(${this.packed(replaced)}, ${keyText(order)}) ${inOrder(order, id)})
    from ${from} where ${id} = any(array(${ids}))`;
  }

  /** @param contents the result of `packedRows`; null if there are no rows */
  unpackRows(contents: string | null | undefined): RowSlice<RowOf<Of>> {
    const tuples = JSON.parse(contents ?? '[]') as unknown[][];
    const idIndex = Object.keys(this.columns).indexOf('id');
    return {
      contents: tuples.map(this.unpack),
      positions: tuples.map((tuple) => ({ key: tuple[this.size] as string, id: tuple[idIndex] as number })),
    };
  }
}
