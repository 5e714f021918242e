/** Runs what the queue holds, when a test says so: no runner works beside the tests. */
import { QueryTypes } from 'sequelize';
import { runDueJobs } from '../../src/jobs/runner.js';
import type { TestApp } from './app.js';

export interface WaitingJob {
  task: string;
  payload: unknown;
  attempts: number;
  lastError: string | null;
  /** From now until it runs at the earliest. */
  seconds: number;
}

export async function runJobs({ services, database }: Pick<TestApp, 'services' | 'database'>): Promise<void> {
  const jobs = await waitingJobs({ database });
  if (jobs.some(({ seconds }) => seconds <= 0)) await runDueJobs(services);
}

export async function waitingJobs({ database }: Pick<TestApp, 'database'>): Promise<WaitingJob[]> {
  return database.sequelize.query<WaitingJob>(
    `select t.identifier as task, j.payload, j.attempts, j.last_error as "lastError",
       extract(epoch from j.run_at - now())::float8 as seconds
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`,
    { type: QueryTypes.SELECT },
  );
}
