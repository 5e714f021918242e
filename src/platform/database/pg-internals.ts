/** What is used of pg besides its documented interface. A test fails where an upgrade changes it (test/platform/database/internals.test.ts). */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

/** The protocol of one connection. It emits `errorMessage` with the error of each statement that fails. */
export interface Connection extends EventEmitter {
  readonly stream: Socket;
  /** Texts by name. pg sends the text of a named statement only if its name is absent. */
  readonly parsedStatements: Record<string, string>;
}

export function connectionOf(client: pg.Client): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** Whether the server has responded to all statements that were sent. */
export function isIdle(client: pg.Client): boolean {
  return (client as unknown as { readyForQuery: boolean }).readyForQuery;
}
