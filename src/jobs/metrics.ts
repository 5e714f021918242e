/** Metrics of jobs: queue depth by task and state, duration by task and result, emails by outcome, and changes without a number. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { STATE_OF_CHANGES } from '../models/change.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import type { Database } from '../platform/database/pool.js';
import { QUEUE_DEPTH, type QueueDepth } from '../platform/database/queue.js';
import { SECONDS } from '../platform/observability/metrics/registry.js';
import { inSpan } from '../platform/observability/tracing/span.js';

/** Query timeout in milliseconds: an unresponsive database must not block the other metrics. */
const TIMEOUT_MS = 2_000;

/** By call of `watchQueue`: several sets of services may use one database, which is reported once. */
const watched = new Map<symbol, Database>();

const seconds = new Histogram({
  name: 'daybook_job_duration_seconds',
  help: 'Duration of jobs, by task and result.',
  labelNames: ['task', 'outcome'] as const,
  buckets: [...SECONDS, 30, 60, 120],
});

new Gauge({
  name: 'daybook_jobs',
  help: 'Jobs in the queue, which all processes share: due or running, scheduled for later, waiting for a retry, or failed for good.',
  labelNames: ['task', 'state'] as const,
  aggregator: 'max',
  async collect() {
    const depths = await Promise.all([...new Set(watched.values())].map(depthOf));
    // After the queries, so that concurrent scrapes do not add up.
    this.reset();
    for (const { task, state, jobs } of depths.flat()) this.inc({ task, state }, jobs);
  },
});

new Gauge({
  name: 'daybook_changes_waiting',
  help: 'Changes that wait for their number in the feed of changes, which all processes share.',
  aggregator: 'max',
  async collect() {
    for (const { waiting } of await states()) this.set(waiting);
  },
});

new Gauge({
  name: 'daybook_changes_oldest_seconds',
  help: 'Age of the oldest change that waits for its number in the feed of changes; 0 if none waits.',
  aggregator: 'max',
  async collect() {
    for (const { oldestSeconds } of await states()) this.set(oldestSeconds);
  },
});

/** `retried` counts attempts; all other outcomes count emails. */
export const mailOutcomes = new Counter({
  name: 'daybook_mails_total',
  help: 'Emails by template and outcome: sent; retried after a failed attempt; rejected by the server; expired before they were sent; limited, for security notices over their limit; obsolete, if the notifications were read before.',
  labelNames: ['template', 'outcome'] as const,
});

/** Reports the queue depth and the feed of changes of this database. @returns a function that stops it */
export function watchQueue(database: Database): () => void {
  const watch = Symbol();
  watched.set(watch, database);
  return () => watched.delete(watch);
}

export async function observeJob(task: string, work: () => Promise<void>): Promise<void> {
  const end = seconds.startTimer({ task });
  try {
    await inSpan(`job ${task}`, { attributes: { 'daybook.task': task } }, work);
    end({ outcome: 'done' });
  } catch (error) {
    end({ outcome: 'failed' });
    throw error;
  }
}

/** Empty if the query fails or times out. */
async function depthOf(database: Database): Promise<QueueDepth[]> {
  const depth = database.query(QUEUE_DEPTH, []).catch(() => []);
  return (await withTimeout(depth, TIMEOUT_MS)) ?? [];
}

/** As `depthOf`, of the feed of changes of each database. */
async function states(): Promise<{ waiting: number; oldestSeconds: number }[]> {
  const queries = [...new Set(watched.values())].map((database) =>
    database.query(STATE_OF_CHANGES, []).catch(() => []),
  );
  return (await Promise.all(queries.map((query) => withTimeout(query, TIMEOUT_MS)))).flatMap((rows) => rows ?? []);
}
