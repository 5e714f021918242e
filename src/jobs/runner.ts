/** Runs jobs in the server process (graphile-worker). Processes that share a database share its queue. */
import { EventEmitter } from 'node:events';
import {
  type Task as GraphileTask,
  type Job,
  Logger,
  parseCronItems,
  type Runner,
  run,
  runOnce,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { JOBS } from '../platform/database/connection-shares.js';
import { describeError } from '../platform/database/mask-error.js';
import { catchScheduleErrors, openQueuePool } from '../platform/database/queue-pool.js';
import { resetFutureTimes } from '../platform/database/queue-tables.js';
import type { Log } from '../platform/observability/log.js';
import { watchPool } from '../platform/observability/metrics/saturation.js';
import type { Services } from '../services/index.js';
import type { Task } from './job.js';
import { observeJob } from './metrics.js';
import { queuesByTask, schedule, tasks } from './tasks.js';
import { WorkerLocks } from './worker-locks.js';

/** The error of a job that ended because of the abort signal. graphile-worker counts it as a failed attempt until `returnTo`. */
class JobInterrupted extends Error {
  constructor(cause: unknown) {
    super('The job was interrupted: the process stops.', { cause });
    this.name = 'JobInterrupted';
  }
}

const RETURN_JOBS = `
  select from unnest($1::bigint[], $2::int[]) as j(id, attempts),
    lateral graphile_worker.reschedule_jobs(array[j.id], run_at => now(), attempts => j.attempts)`;

/** Jobs that the end of the process interrupts: they return to the queue as if they had not been taken. */
class InterruptedJobs {
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

export interface JobRunner {
  /** Takes no more jobs and waits for running ones, at most `JOB_GRACE_MS`. Jobs that do not finish are run again by another runner. */
  stop(): Promise<void>;
  /** Ids of its workers, by which jobs are locked. */
  workerIds(): readonly string[];
}

const ALL_TASKS = Object.keys(tasks);

/** One for every queue, so that a job never waits for jobs of other queues. */
const WORKERS = [...new Set(queuesByTask.values())].reduce((sum, { count }) => sum + count, 0);
/** Maximum pool connections: one listens for new jobs, the others take and complete jobs. Opened on demand. */
const POOL_SIZE = 4;
/** Polling interval for scheduled jobs; new jobs are announced with NOTIFY. */
const POLL_INTERVAL_MS = 5_000;
/** Shutdown grace period for running jobs; the whole server has ten seconds. */
const JOB_GRACE_MS = 3_000;
/** The part of `JOB_GRACE_MS` after the abort signal: aborted jobs return to the queue, to run elsewhere at once. */
const REQUEUE_MS = 1_000;
/** Timeout of the statement that returns interrupted jobs to the queue. */
const RETURN_MS = 1_000;

/**
 * @param onLostConnection called, possibly before the promise resolves, when a job may have been left locked, or a worker or the schedule has ended, since a
 *   connection was lost
 * @param formerWorkers ids of workers of this process that have ended, whose jobs are run again
 */
export async function startRunner(
  services: Services,
  onLostConnection: () => void,
  formerWorkers: readonly string[],
): Promise<JobRunner> {
  const { config, database, log } = services;
  // For statements of the queue itself; jobs use the connection pool of the requests.
  const pgPool = openQueuePool(
    {
      connectionString: database.url,
      application_name: 'daybook-jobs',
      settings: { statement_timeout: config.databaseStatementTimeoutMs },
    },
    POOL_SIZE,
  );
  pgPool.on('error', (error) => log.warn({ err: describeError(error) }, 'database connection of the job runner lost'));
  const locks = new WorkerLocks(database.url, log);
  const unwatch = watch(pgPool);
  const interrupted = new InterruptedJobs();
  let isClosing = false;
  const close = async (runner?: Runner) => {
    isClosing = true;
    unwatch();
    const warn = (error: Error) => log.warn({ err: describeError(error) }, 'job runner not stopped cleanly');
    const stopped = Promise.resolve(runner?.stop()).catch(warn);
    await withTimeout(stopped, JOB_GRACE_MS);
    await withTimeout(interrupted.returnTo(pgPool, locks.workerIds).catch(warn), RETURN_MS);
    void stopped.then(() => pgPool.end()).catch(warn);
    locks.stop();
  };
  const events: WorkerEvents = new EventEmitter();
  const reportLoss = () => {
    if (!isClosing) onLostConnection();
  };
  events.on('worker:fatalError', reportLoss);
  let lastError: unknown;
  events.on('worker:getJob:error', ({ error }) => {
    // An error that the server reports has undone the statement; otherwise it may have locked a job.
    const isUndone = error instanceof pg.DatabaseError;
    // graphile-worker reads the ids of the tasks once. If that fails, all workers fail with the same error from then on.
    if (!isUndone || error === lastError) reportLoss();
    lastError = error;
  });
  try {
    await pgPool.query('select graphile_worker.force_unlock_workers($1::text[])', [formerWorkers]);
    // Before graphile-worker reads the schedule.
    await resetFutureTimes(async (text) => (await pgPool.query(text)).rows, log);
    catchScheduleErrors(pgPool, (error) => {
      log.warn({ err: describeError(error) }, 'job runner: a statement of the schedule failed');
      reportLoss();
    });
    const runner = await run({
      pgPool,
      events,
      taskList: taskList(services, ALL_TASKS, interrupted),
      concurrency: WORKERS,
      pollInterval: POLL_INTERVAL_MS,
      gracefulShutdownAbortTimeout: JOB_GRACE_MS - REQUEUE_MS,
      noHandleSignals: true,
      parsedCronItems: parseCronItems([...schedule]),
      preset: { plugins: [locks.plugin] },
      logger: loggerTo(log),
    });
    locks.start();
    let stopped: Promise<void> | undefined;
    return {
      stop: () => {
        stopped ??= close(runner);
        return stopped;
      },
      workerIds: () => locks.workerIds,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs the due jobs of these tasks, and resolves when they are done. */
export function runDueJobs(services: Services, pgPool: pg.Pool, only: readonly string[] = ALL_TASKS): Promise<void> {
  const due = taskList(services, only, new InterruptedJobs());
  return runOnce({ pgPool, taskList: due, noHandleSignals: true, logger: loggerTo(services.log) });
}

function watch(pgPool: pg.Pool): () => void {
  return watchPool('jobs', () => ({
    max: POOL_SIZE,
    inUse: pgPool.totalCount - pgPool.idleCount,
    idle: pgPool.idleCount,
    waiting: pgPool.waitingCount,
  }));
}

function taskList(services: Services, names: readonly string[], interrupted: InterruptedJobs): TaskList {
  const never = new AbortController().signal;
  const ofJobs = { ...services, database: services.database.forClient(JOBS) };
  const entries = names.map((name): [string, GraphileTask] => [
    name,
    (payload, { job, abortSignal: signal = never }) => {
      const run = { attempt: job.attempts, signal };
      const work = () => observeJob(name, () => (tasks[name] as Task<unknown>)(payload, ofJobs, run));
      return interrupted.watch(job, signal, work);
    },
  ]);
  return Object.fromEntries(entries);
}

/** Only warnings and errors keep their level; all other messages are logged as `debug`. */
function loggerTo(log: Log): Logger {
  return new Logger(({ label, taskIdentifier, jobId }) => (level, message, meta) => {
    const line = { source: label, task: taskIdentifier, job: jobId };
    if (level === 'error' && !(meta?.error instanceof JobInterrupted)) log.error(line, message);
    // Most workers only wait for jobs, and share the connections.
    else if (level === 'warning' && !message.includes('maxPoolSize')) log.warn(line, message);
    else log.debug(line, message);
  });
}
