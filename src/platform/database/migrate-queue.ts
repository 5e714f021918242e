/** Creates the tables of the job queue (graphile-worker). */
import { EventEmitter } from 'node:events';
import { Logger, runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { JOBS_MIGRATION_LOCK } from './locks.js';
import { withMigrationLock } from './migrate.js';
import { ADD_TURN_INDEXES, HAS_TURN_INDEXES } from './queue-tables.js';
import { withTableLocks } from './table-locks.js';

/**
 * Creates or updates the tables in the transaction of `client`. graphile-worker begins a transaction for each of its migrations,
 * and expects that a statement can fail: both become savepoints.
 */
export async function migrateJobsWithin(client: pg.ClientBase): Promise<void> {
  const run = async (query: string | pg.QueryConfig, values?: unknown[]) => {
    if (query === 'begin') return client.query('savepoint migration');
    if (query === 'commit') return client.query('release savepoint migration');
    if (query === 'rollback') return client.query('rollback to savepoint migration');
    await client.query('savepoint statement');
    try {
      const result = await client.query(query as string, values);
      await client.query('release savepoint statement');
      return result;
    } catch (error) {
      await client.query('rollback to savepoint statement');
      throw error;
    }
  };
  const connection = { query: run, release: () => {} };
  const pool = Object.assign(new EventEmitter(), { connect: async () => connection, options: { max: 10 } });
  await runMigrations({ pgPool: pool as unknown as pg.Pool, logger: new Logger(() => () => {}) });
  const { rows } = await client.query(HAS_TURN_INDEXES);
  // `if not exists` would lock the table first.
  if (!rows[0]?.exists) await client.query(ADD_TURN_INDEXES);
}

/** Creates or updates the tables, while processes of the previous version use them. */
export function migrateJobs(url: string): Promise<void> {
  return withMigrationLock(url, JOBS_MIGRATION_LOCK, (client) =>
    withTableLocks(client, { name: 'of the job queue', locks: {} }, () => migrateJobsWithin(client)),
  );
}
