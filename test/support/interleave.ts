/** Requests that another transaction overtakes at a known point: they wait for a lock that it holds. */
import type { TestApp } from './app.js';
import { until } from './until.js';

interface Interleaving<Response> {
  /** The statement that takes the lock. */
  lock: string;
  request: () => Promise<Response>;
  /** The statement that is committed while the request waits. */
  change: string;
}

/** @returns the response, after the change */
export async function interleave<Response>(
  { database }: Pick<TestApp, 'database'>,
  { lock, request, change }: Interleaving<Response>,
): Promise<Response> {
  let response: Promise<Response> | undefined;
  await database.inTransaction(async (transaction) => {
    await database.sequelize.query(lock, { transaction });
    response = request();
    await until(async () => {
      const [waiting] = await database.sequelize.query(`select from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`);
      return waiting.length > 0;
    });
    await database.sequelize.query(change, { transaction });
  });
  return response as Promise<Response>;
}
