/** Creates the tables of the job queue (graphile-worker). */
import { Logger, runMigrations } from 'graphile-worker';
import { openPgPool } from './bounded-client.js';
import { JOBS_MIGRATION_LOCK } from './locks.js';

/** Creates or updates the tables. An advisory lock serializes processes that start concurrently. */
export async function migrateJobs(url: string): Promise<void> {
  // Without timeouts, since this call waits for the migrations of other processes.
  const pgPool = openPgPool({ connectionString: url, application_name: 'daybook-jobs' }, 2);
  try {
    const client = await pgPool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [JOBS_MIGRATION_LOCK]);
      await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
      await client.query('select pg_advisory_unlock($1)', [JOBS_MIGRATION_LOCK]);
    } finally {
      client.release();
    }
  } finally {
    await pgPool.end();
  }
}
