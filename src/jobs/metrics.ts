/** Metrics of jobs: queue depth by task and state, duration by task and result, and emails by outcome. */
import { Counter, Gauge, Histogram } from 'prom-client';
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

/** `retried` counts attempts; all other outcomes count emails. */
export const mailOutcomes = new Counter({
  name: 'daybook_mails_total',
  help: 'Emails by template and outcome: sent; retried after a failed attempt; rejected by the server; expired before they were sent; limited, for security notices over their limit; obsolete, if the notifications were read before.',
  labelNames: ['template', 'outcome'] as const,
});

/** Reports the queue depth of this database. @returns a function that stops it */
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
