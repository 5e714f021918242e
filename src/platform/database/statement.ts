/** Declarations of prepared statements. */
import { LRUCache } from 'lru-cache';
import type { Bindings } from './keyset.js';

/** A named prepared statement, which PostgreSQL parses and plans once per connection. */
export interface PreparedText {
  readonly name: string;
  readonly text: string;
  /** Whether the text is composed dynamically; a connection stores only a limited number of such statements (prepared-statement-limit.ts). */
  readonly isComposed?: boolean;
  /** Makes a row of what PostgreSQL returns. */
  readonly unpack?: ((returned: never) => unknown) | undefined;
  /** Statement timeout in milliseconds, if it differs from that of the connection. */
  readonly timeoutMs?: number;
}

/** `Parameters`: the tuple of $1, $2 and so on. */
export interface Statement<Parameters extends readonly unknown[], Row> extends PreparedText {
  /** Types of the parameters and of a result row; never set at run time. */
  readonly types?: (parameters: Parameters) => Row;
}

/** Is called with each declared statement, for their digest (test/sql). */
export const declarations: { declared?: (statement: PreparedText) => void } = {};

/** PostgreSQL ignores the rest of a name (NAMEDATALEN): two statements would have the same one. */
const MAX_NAME_LENGTH = 63;

/**
 * @param unpack makes a row of what PostgreSQL returns, if they differ
 * @throws Error for a name that is too long
 */
export function statement<Parameters extends readonly unknown[], Row = never>(
  name: string,
  text: string,
  unpack?: (returned: never) => Row,
): Statement<Parameters, Row> {
  if (name.length > MAX_NAME_LENGTH) throw new Error(`the name of the statement ${name} is too long`);
  const declared = { name, text, unpack };
  declarations.declared?.(declared);
  return declared;
}

/** @param returned what PostgreSQL returned */
export function rowsOf<Row>({ unpack }: PreparedText, returned: unknown[]): Row[] {
  return (unpack ? returned.map(unpack as (returned: unknown) => unknown) : returned) as Row[];
}

/** Runs a statement, for example in a transaction. */
export type RunStatement = <Parameters extends readonly unknown[], Row>(
  statement: Statement<Parameters, Row>,
  values: NoInfer<Parameters>,
) => Promise<Row[]>;

/** LRU cache by text: there are thousands of combinations of filter, order, selection and direction. */
const composed = new LRUCache<string, Statement<readonly unknown[], never>>({ max: 500 });

let count = 0;

/** A dynamically composed statement, from the cache if present, with its values: the first two arguments of `Database.query`. */
export function composedStatement<Row>(
  text: string,
  { values }: Bindings,
  timeoutMs?: number,
): [Statement<readonly unknown[], Row>, readonly unknown[]] {
  const cached = composed.get(text);
  if (cached) return [cached, values];
  const added = {
    name: `list_${count++}`,
    text,
    isComposed: true,
    ...(timeoutMs && { timeoutMs }),
  };
  composed.set(text, added);
  return [added, values];
}
