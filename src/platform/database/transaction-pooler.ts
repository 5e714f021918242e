/**
 * Statements through a pooler in transaction mode, such as PgBouncer: each transaction may run on another session of the server. Statements
 * have no names, and run-time parameters are set for each transaction.
 */
import type pg from 'pg';
import { type Connection, InternalQuery } from './pg-internals.js';

export type RunTimeParameters = Readonly<Record<string, string | number>>;

export interface PooledStatement {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  readonly callback: (error: Error | null, result: pg.QueryResult) => void;
}

/** Sent before a statement in the same message, so that they are one transaction, without a round trip of its own. */
export class PooledQuery extends InternalQuery {
  readonly #setParameters: string;
  readonly #client: pg.Client;
  #isSetting = false;

  constructor(client: pg.Client, parameters: RunTimeParameters, { text, values = [], callback }: PooledStatement) {
    const isStart = /^\s*(?:start\s+transaction|begin)\b/i.test(text);
    super({
      text: isStart ? `${withIsolation(text)};${setLocal(parameters)}` : text,
      values: isStart ? undefined : values,
      callback,
      // Otherwise pg sends a statement without values in a message that ends the transaction.
      queryMode: isStart ? undefined : 'extended',
    });
    this.#client = client;
    // No row: the result consists of the rows of the statement.
    this.#setParameters = `select where concat(${Object.entries(parameters).map(setConfig)}) is null`;
  }

  override prepare(connection: Connection): void {
    this.#isSetting = this.#client.getTransactionStatus() === 'I';
    if (this.#isSetting) {
      connection.parse({ text: this.#setParameters, name: '' });
      connection.bind({});
      connection.execute({});
    }
    super.prepare(connection);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#isSetting) this.#isSetting = false;
    else super.handleCommandComplete(message, connection);
  }
}

/** The default of the session has been applied when its transaction begins. */
function withIsolation(start: string): string {
  return /isolation level/i.test(start)
    ? start
    : `${start.replace(/;\s*$/, '')};set transaction isolation level read committed`;
}

function setLocal(parameters: RunTimeParameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `set local ${name} = '${value}'`)
    .join(';');
}

function setConfig([name, value]: [string, string | number]): string {
  return `set_config('${name}', '${value}', true)`;
}
