/** Requests that another transaction overtakes at a known point: they wait for a lock that it holds. */
import { readFile } from 'node:fs/promises';
import type { TestApp } from './app.js';
import { WAITING_FOR_LOCK } from './database.js';
import { until } from './until.js';

interface Interleaving<Response> {
  /** The statement that takes the lock. */
  lock: string;
  request: () => Promise<Response>;
  /** The statement that is committed while the request waits. */
  change: string;
  /** The number of statements to wait for: that of the requests, if there are several. */
  waiting?: number;
}

/** @returns the response, after the change */
export async function interleave<Response>(
  { database }: Pick<TestApp, 'database'>,
  { lock, request, change, waiting = 1 }: Interleaving<Response>,
): Promise<Response> {
  let response: Promise<Response> | undefined;
  await database.sequelize.transaction(async (transaction) => {
    await database.sequelize.query(lock, { transaction });
    response = request();
    await untilWaiting(database, waiting);
    await database.sequelize.query(change, { transaction });
  });
  return response as Promise<Response>;
}

/**
 * Deadlocks of this process in the log of the server: a change is repeated after one, so that no response shows it.
 * @param statements a regular expression for one of the two
 */
export async function countDeadlocksOf(statements: string): Promise<number> {
  const log = await readFile(process.env.TEST_SERVER_LOG ?? '', 'utf8');
  const { pathname } = new URL(process.env.TEST_DATABASE_URL ?? '');
  const start = ` ${pathname.slice(1)} ERROR:  deadlock detected\\n`;
  return log.match(new RegExp(`${start}(?:.*\\n){1,8}?.*${statements}`, 'g'))?.length ?? 0;
}

/** Resolves when this number of statements wait for locks. */
export async function untilWaiting(database: TestApp['database'], statements: number): Promise<void> {
  await until(async () => {
    const [waiting] = await database.sequelize.query(WAITING_FOR_LOCK);
    return waiting.length >= statements;
  });
}
