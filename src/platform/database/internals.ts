/** What is used of pg and Sequelize besides their documented interfaces. A test fails where an upgrade changes it (test/platform/database/internals.test.ts). */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { Sequelize, Transaction } from 'sequelize';

/** The protocol of one connection. It emits `errorMessage` with the error of each statement that fails. */
export interface Connection extends EventEmitter {
  readonly stream: Socket;
  /** Texts by name. pg sends the text of a named statement only if its name is absent. */
  readonly parsedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[]; valueMapper: typeof prepareValue }): void;
  describe(message: { type: 'P' }): void;
  execute(): void;
  sync(): void;
}

/** A column in the description of a result. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Makes a parameter of a value, as the queries of pg do. */
export const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as {
  prepareValue: (value: unknown) => string | Buffer | null;
};

export function connectionOf(client: pg.Client): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** Whether the server has responded to all statements that were sent. */
export function isIdle(client: pg.Client): boolean {
  return (client as unknown as { readyForQuery: boolean }).readyForQuery;
}

export interface ConnectionManager<Client> {
  /** Sequelize documents it as the access to its pool, but its types do not declare it. */
  getConnection(options: { type: 'SELECT' | 'INSERT' }): Promise<Client>;
  releaseConnection(client: Client): void;
  /** `size` includes the connections that are being opened. */
  readonly pool: { maxSize: number; size: number; using: number; available: number };
}

/** `Client` is the class in `dialectModule`. */
export function managerOf<Client>(sequelize: Sequelize): ConnectionManager<Client> {
  return sequelize.connectionManager as unknown as ConnectionManager<Client>;
}

/** Whether the connection has ended, and has left the pool. */
export function isInvalid(client: object): boolean {
  return (client as { _invalid?: boolean })._invalid === true;
}

export function clientOf<Client>(transaction: Transaction): Client {
  return (transaction as unknown as { connection: Client }).connection;
}

/** Returns the connection of a transaction that has been committed. */
export function leave(transaction: Transaction): void {
  const left = transaction as unknown as { finished: string; cleanup(): void };
  left.finished = 'commit';
  left.cleanup();
}
