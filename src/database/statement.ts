/** Declarations of prepared statements. */
import { LRUCache } from 'lru-cache';

/** A named prepared statement, which PostgreSQL parses and plans once per connection. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Whether the text is composed dynamically; a connection stores only a limited number of such statements (statement-limit.ts). */
  readonly isComposed?: boolean;
  /** Statement timeout in milliseconds, if it differs from that of the connection. */
  readonly timeoutMs?: number;
  /** Type of a result row; never set at run time. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name, text };
}

/** LRU cache by text: there are thousands of combinations of filter, order, selection and direction. */
const composed = new LRUCache<string, Statement<never>>({ max: 500 });

let count = 0;

/** The prepared statement for a dynamically composed text, from the cache if present. */
export function composedStatement<Row>(text: string, timeoutMs?: number): Statement<Row> {
  const cached = composed.get(text);
  if (cached) return cached;
  const made: Statement<never> = { name: `list_${count++}`, text, isComposed: true, ...(timeoutMs && { timeoutMs }) };
  composed.set(text, made);
  return made;
}
