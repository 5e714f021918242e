/** What is used of Sequelize besides its types. A test fails where an upgrade changes it (test/platform/database/internals.test.ts). */
import type { Sequelize, Transaction } from 'sequelize';

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
