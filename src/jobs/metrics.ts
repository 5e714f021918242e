/** Metrics of jobs: queue depth by task and state, duration by task and result, emails by outcome, changes without a number, and deliveries of webhooks. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { STATE_OF_CHANGES, type StateOfChanges } from '../models/change.js';
import { STATES_OF_WEBHOOKS } from '../models/webhook/webhook.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import type { Database } from '../platform/database/pool.js';
import { QUEUE_DEPTH } from '../platform/database/queue.js';
import type { Statement } from '../platform/database/statement.js';
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
    const depths = await rowsOfEach(QUEUE_DEPTH);
    // After the queries, so that concurrent scrapes do not add up.
    this.reset();
    for (const { task, state, jobs } of depths) this.inc({ task, state }, jobs);
  },
});

new Gauge({
  name: 'daybook_changes_waiting',
  help: 'Changes that wait for their number in the feed of changes, which all processes share.',
  aggregator: 'max',
  async collect() {
    for (const { waiting } of await stateOfChanges()) this.set(waiting);
  },
});

new Gauge({
  name: 'daybook_changes_oldest_seconds',
  help: 'Age of the oldest change that waits for its number in the feed of changes; 0 if none waits.',
  aggregator: 'max',
  async collect() {
    for (const { oldestSeconds } of await stateOfChanges()) this.set(oldestSeconds);
  },
});

/** `retried` counts attempts; all other outcomes count emails. */
export const mailOutcomes = new Counter({
  name: 'daybook_mails_total',
  help: 'Emails by template and outcome: sent; retried after a failed attempt; rejected by the server; expired before they were sent; limited, for security notices over their limit; obsolete, if the notifications were read before.',
  labelNames: ['template', 'outcome'] as const,
});

export const webhookDeliveries = new Counter({
  name: 'daybook_webhook_deliveries_total',
  help: 'Attempts to deliver messages of webhooks by result: delivered, or failed; and messages that were dropped, since their object is not public any more.',
  labelNames: ['result'] as const,
});

new Gauge({
  name: 'daybook_webhook_oldest_seconds',
  help: 'Age of the oldest change that a webhook has not delivered, also of a disabled one; 0 if none waits.',
  labelNames: ['webhook'] as const,
  aggregator: 'max',
  async collect() {
    const states = await rowsOfEach(STATES_OF_WEBHOOKS);
    this.reset();
    for (const { id, oldestSeconds } of states) this.set({ webhook: id }, oldestSeconds);
  },
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

/** One query for both metrics of the feed, which are collected at the same time. */
function stateOfChanges(): ReturnType<typeof rowsOfEach<StateOfChanges>> {
  reading ??= rowsOfEach(STATE_OF_CHANGES).finally(() => {
    reading = null;
  });
  return reading;
}

let reading: ReturnType<typeof stateOfChanges> | null = null;

/** The rows of a statement in each database that is watched; none of one whose query fails or times out. */
async function rowsOfEach<Row>(statement: Statement<[], Row>): Promise<Row[]> {
  const queries = [...new Set(watched.values())].map((database) => database.query(statement, []).catch(() => []));
  const rows = await Promise.all(queries.map((query) => withTimeout(query, TIMEOUT_MS)));
  return rows.flatMap((found) => found ?? []);
}
