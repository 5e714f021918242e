/** Runs the jobs in this process, beside the requests. Processes that share a database share its queue. */
import { Logger, parseCronItems, type Runner, run, runMigrations, runOnce, type TaskList } from 'graphile-worker';
import pg from 'pg';
import type { Log } from '../log.js';
import { observeJob } from '../metrics/job.js';
import { watchPool } from '../metrics/pool.js';
import { JOBS_MIGRATION_LOCK } from '../models/locks.js';
import type { Services } from '../services.js';
import { schedule } from './schedule.js';
import { type Task, tasks } from './tasks.js';

export interface Jobs {
  /** Takes no more jobs and waits for those that run. What is cut off by the end of the process runs again elsewhere. */
  stop(): Promise<void>;
}

/** Connections: one listens for new jobs, the others take and finish them. */
const POOL_SIZE = 3;
const JOBS_AT_ONCE = 2;
/** Milliseconds between looks for jobs whose time has come; new ones announce themselves. */
const POLL_INTERVAL = 5_000;
/** Milliseconds that running jobs get to finish: a server has ten seconds for its whole end. */
const GRACE = 3_000;

/** Makes the queue's own tables, or brings them up to date. Two processes that start at once wait for each other. */
export async function migrateJobs(url: string): Promise<void> {
  await withPool(url, 2, async (pgPool) => {
    const client = await pgPool.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [JOBS_MIGRATION_LOCK]);
      await runMigrations({ pgPool, logger: silent });
      await client.query('select pg_advisory_unlock($1)', [JOBS_MIGRATION_LOCK]);
    } finally {
      client.release();
    }
  });
}

export async function startJobs(services: Services): Promise<Jobs> {
  const pgPool = createPool(services.database.url, POOL_SIZE);
  pgPool.on('error', (error) => services.log.warn({ err: error.name }, 'a connection of the jobs broke'));
  const runner = await run({
    pgPool,
    taskList: taskList(services),
    concurrency: JOBS_AT_ONCE,
    pollInterval: POLL_INTERVAL,
    gracefulShutdownAbortTimeout: GRACE,
    noHandleSignals: true,
    parsedCronItems: parseCronItems([...schedule]),
    logger: loggerTo(services.log),
  });
  const unwatch = watchPool('jobs', () => ({
    max: POOL_SIZE,
    inUse: pgPool.totalCount - pgPool.idleCount,
    idle: pgPool.idleCount,
    waiting: pgPool.waitingCount,
  }));
  return {
    stop: async () => {
      unwatch();
      await stop(runner, pgPool);
    },
  };
}

/** Runs the jobs whose time has come, and comes back when they are done. */
export function runDueJobs(services: Services): Promise<void> {
  return withPool(services.database.url, POOL_SIZE, (pgPool) =>
    runOnce({ pgPool, taskList: taskList(services), noHandleSignals: true, logger: loggerTo(services.log) }),
  );
}

async function stop(runner: Runner, pgPool: pg.Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GRACE);
  });
  await Promise.race([runner.stop().then(() => pgPool.end()), late]);
  clearTimeout(timer);
}

function taskList(services: Services): TaskList {
  const entries = Object.entries(tasks).map(([name, task]) => [
    name,
    (payload: unknown) => observeJob(name, () => (task as Task<unknown>)(payload, services)),
  ]);
  return Object.fromEntries(entries);
}

async function withPool<Result>(url: string, max: number, work: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const pool = createPool(url, max);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function createPool(url: string, max: number): pg.Pool {
  return new pg.Pool({ connectionString: url, max, application_name: 'daybook-jobs' });
}

const silent = new Logger(() => () => {});

/** What succeeds is not worth a line. */
function loggerTo(log: Log): Logger {
  return new Logger(({ label, taskIdentifier, jobId }) => (level, message) => {
    const line = { source: label, task: taskIdentifier, job: jobId };
    if (level === 'error') log.error(line, message);
    else if (level === 'warning') log.warn(line, message);
    else log.debug(line, message);
  });
}
