/** Runs queued jobs on demand: no runner is active during the tests. */
import { QueryTypes } from 'sequelize';
import type { TaskName } from '../../src/database/queue.js';
import { runDueJobs } from '../../src/jobs/runner.js';
import { tasks } from '../../src/jobs/tasks.js';
import type { TestApp } from './app.js';

const SUMMARIZE = 'summarise-article';

export interface WaitingJob {
  task: string;
  payload: unknown;
  attempts: number;
  lastError: string | null;
  /** Seconds until its earliest run. */
  seconds: number;
}

type Queue = Pick<TestApp, 'services' | 'database'>;

/** All jobs but summaries, because every article written by a test has a waiting summary job. */
export function runJobs(app: Queue): Promise<void> {
  return run(
    app,
    (Object.keys(tasks) as TaskName[]).filter((task) => task !== SUMMARIZE),
  );
}

export function runSummaries(app: Queue): Promise<void> {
  return run(app, [SUMMARIZE]);
}

async function run({ services, database }: Queue, only: readonly TaskName[]): Promise<void> {
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
