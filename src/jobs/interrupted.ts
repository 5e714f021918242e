/** Jobs that the end of the process interrupts: they return to the queue as if they had not been taken. */
import type { Job } from 'graphile-worker';
import type pg from 'pg';

/** The error of a job that ended because of the abort signal. graphile-worker counts it as a failed attempt until `returnTo`. */
export class JobInterrupted extends Error {
  constructor(cause: unknown) {
    super('The job was interrupted: the process stops.', { cause });
    this.name = 'JobInterrupted';
  }
}

const RETURN_JOBS = `
  select from unnest($1::bigint[], $2::int[]) as j(id, attempts),
    lateral graphile_worker.reschedule_jobs(array[j.id], run_at => now(), attempts => j.attempts)`;

export class InterruptedJobs {
  /** Jobs that are running, or that were aborted, with the number of attempts before this one. */
  readonly #attempts = new Map<string, number>();

  /** Runs a job. @throws JobInterrupted where it fails after the abort signal */
  async watch({ id, attempts }: Pick<Job, 'id' | 'attempts'>, signal: AbortSignal, work: () => Promise<void>) {
    this.#attempts.set(id, attempts - 1);
    try {
      await work();
      this.#attempts.delete(id);
    } catch (error) {
      if (signal.aborted) throw new JobInterrupted(error);
      this.#attempts.delete(id);
      throw error;
    }
  }

  /** Unlocks the jobs that are still running, which tolerate that another process runs them too, and counts no attempt for any of these jobs. */
  async returnTo(pool: pg.Pool, workerIds: readonly string[]): Promise<void> {
    if (this.#attempts.size === 0) return;
    await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [workerIds]);
    await pool.query(RETURN_JOBS, [[...this.#attempts.keys()], [...this.#attempts.values()]]);
  }
}
