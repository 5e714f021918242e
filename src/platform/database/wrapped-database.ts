/** A database with other behavior: for the statements of one request, or for the ends of transactions. */
import type { Transaction } from 'sequelize';
import type { Database } from './pool.js';
import type { PreparedText } from './statement.js';

/** What differs from the wrapped database. */
export interface Behavior {
  /** Runs a statement that has no transaction. */
  query?<Row>(statement: PreparedText, values: readonly unknown[]): Promise<Row[]>;
  /** Runs a change that has no transaction. */
  change?<Row>(statement: PreparedText, values: readonly unknown[]): Promise<Row[]>;
  readonly inTransaction?: Database['inTransaction'];
  readonly beginSnapshot?: Database['beginSnapshot'];
  readonly snapshot?: Database['snapshot'];
}

export function wrapDatabase(base: Database, { query, change, ...behavior }: Behavior): Database {
  return {
    ...base,
    ...behavior,
    query: (statement, values, transaction) =>
      transaction || !query ? base.query(statement, values, transaction) : query(statement, values),
    change: (statement, values, transaction) =>
      transaction || !change ? base.change(statement, values, transaction) : change(statement, values),
  };
}

/** @param last ends each transaction; its second argument is the result of the work before it */
export function endingWith(
  base: Database,
  last: (transaction: Transaction, result: unknown) => Promise<unknown>,
): Database {
  const inTransaction: Database['inTransaction'] = (work, options) =>
    base.inTransaction(async (transaction) => {
      const result = await work(transaction);
      await last(transaction, result);
      return result;
    }, options);
  return wrapDatabase(base, { inTransaction });
}
