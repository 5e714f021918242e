/** Runs queued jobs on demand: no runner is active during the tests. */
import ms from 'ms';
import pg from 'pg';
import { QueryTypes } from 'sequelize';
import * as runner from '../../src/jobs/runner.js';
import { jobTypes, tasks } from '../../src/jobs/tasks.js';
import type { Database } from '../../src/platform/database/pool.js';
import * as queue from '../../src/platform/database/queue.js';
import type { TestApp } from './app.js';

const SUMMARIZE = 'summarize-article';

export interface WaitingJob {
  task: string;
  payload: unknown;
  attempts: number;
  lastError: string | null;
  /** Seconds until its earliest run. */
  seconds: number;
}

type Queue = Pick<TestApp, 'services' | 'database'>;

/** By the URL of the database: most files run jobs many times, and each of four new connections would plan the statements of the queue again. */
const pools = new Map<string, pg.Pool>();

/** Runs the due jobs of these tasks, and resolves when they are done. */
export function runDueJobs(services: TestApp['services'], only?: readonly string[]): Promise<void> {
  const { url } = services.database;
  const pool = pools.get(url) ?? openPool(url);
  pools.set(url, pool);
  return runner.runDueJobs(services, pool, only);
}

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4, idleTimeoutMillis: ms('1m'), allowExitOnIdle: true });
  // Of connections that a test ends.
  return pool.on('error', () => {});
}

/** Adds jobs by the name of their type. */
export async function addJobs<Payload>(
  database: Database,
  name: string,
  payloads: readonly Payload[],
  options?: queue.JobOptions<Payload>,
): Promise<void> {
  const type = jobTypes.get(name) as queue.JobType<Payload> | undefined;
  if (!type) throw new Error(`There is no job ${name}`);
  await queue.addJobs(database, type, payloads, options);
}

/** All jobs but summaries, because every article written by a test has a waiting summary job. */
export function runJobs(app: Queue): Promise<void> {
  return run(
    app,
    Object.keys(tasks).filter((task) => task !== SUMMARIZE),
  );
}

export function runSummaries(app: Queue): Promise<void> {
  return run(app, [SUMMARIZE]);
}

async function run({ services, database }: Queue, only: readonly string[]): Promise<void> {
  const jobs = await waitingJobs({ database });
  if (jobs.some(({ seconds }) => seconds <= 0)) await runDueJobs(services, only);
}

export async function waitingSummaries({ database }: Pick<TestApp, 'database'>): Promise<WaitingJob[]> {
  return (await waitingJobs({ database })).filter(({ task }) => task === SUMMARIZE);
}

export async function waitingJobs({ database }: Pick<TestApp, 'database'>): Promise<WaitingJob[]> {
  return database.sequelize.query<WaitingJob>(
    `select t.identifier as task, j.payload, j.attempts, j.last_error as "lastError",
       extract(epoch from j.run_at - now())::float8 as seconds
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`,
    { type: QueryTypes.SELECT },
  );
}
