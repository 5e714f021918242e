/** Prepared statements, as the models declare them. */
import { LRUCache } from 'lru-cache';

/** A statement that PostgreSQL parses and plans once per connection, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Whether the text is composed for a request, so that connections keep only some of such statements. */
  readonly isComposed?: boolean;
  /** Milliseconds after which PostgreSQL cancels it, where that is earlier than for other statements. */
  readonly timeoutMs?: number;
  /** Only a type: what one row looks like. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name, text };
}

/** By text. There are thousands of combinations of filter, order, selection and direction. */
const composed = new LRUCache<string, Statement<never>>({ max: 500 });

let count = 0;

/** The prepared statement with a text that was put together from parts. */
export function composedStatement<Row>(text: string, timeoutMs?: number): Statement<Row> {
  const known = composed.get(text);
  if (known) return known;
  const made: Statement<never> = { name: `list_${count++}`, text, isComposed: true, ...(timeoutMs && { timeoutMs }) };
  composed.set(text, made);
  return made;
}
