/**
 * The job runner of a process, which is replaced after a lost connection: a worker of graphile-worker ends when it cannot record the
 * result of its job, and a job whose lock was committed, but not confirmed, is not run by the worker that holds it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { describeDatabaseUrl } from '../platform/config/database-url.js';
import { describeError, isDisconnected } from '../platform/database/mask-error.js';
import { addJobs } from '../platform/database/queue.js';
import type { Services } from '../services/index.js';
import { startChanges } from './changes.js';
import { type JobRunner, startRunner } from './runner.js';
import { backfills } from './tasks.js';

const RETRY_MS = 1_000;
/** Failed starts per line of the log: about a minute. */
const FAILURES_PER_LINE = 60;
/** For a runner that is being replaced. */
const STOP_MS = 3_000;

/** Starts the jobs of this process. `stop` of the result ends them as that of the runner does. */
export async function startJobs(services: Services): Promise<Pick<JobRunner, 'stop'>> {
  const { database, log } = services;
  const stopping = new AbortController();
  let replacing: Promise<void> | undefined;
  /** Set while the current runner, which may still be starting, has to be replaced. */
  let isDamaged = false;
  const start = (former: readonly string[]) => startRunner(services, replace, former);
  let runner: JobRunner | undefined;

  function replace(): void {
    isDamaged = true;
    if (stopping.signal.aborted || !runner) return;
    replacing ??= startAgain(runner).finally(() => {
      replacing = undefined;
    });
  }
  async function startAgain(started: JobRunner): Promise<void> {
    let damaged = started;
    log.warn('job runner: a job could not be taken, recorded or scheduled, starting again');
    for (let failures = 0; isDamaged; ) {
      await damaged.stop();
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      isDamaged = false;
      try {
        damaged = await start(damaged.workerIds());
        runner = damaged;
      } catch (error) {
        isDamaged = true;
        if (failures++ % FAILURES_PER_LINE === 0) reportFailure(error);
      }
    }
    log.info('job runner: started again');
  }
  function reportFailure(error: unknown): void {
    const cause = isDisconnected(error)
      ? `PostgreSQL at ${describeDatabaseUrl(database.url)} does not respond`
      : 'cannot start';
    log.error({ err: describeError(error) }, `job runner: ${cause}, trying again`);
  }

  runner = await start([]);
  if (isDamaged) replace();
  const stopChanges = startChanges(services);
  for (const type of backfills) await addJobs(database, type, [{}], { keyOf: () => 'all' });
  return {
    stop: async () => {
      stopping.abort();
      await withTimeout(Promise.resolve(replacing), STOP_MS);
      await Promise.all([runner?.stop(), stopChanges(), services.extractor.stop()]);
    },
  };
}
