/** What the metrics of a measured service say. */
import { STATE_OF_CHANGES } from '../src/models/change.js';
import { STATES_OF_WEBHOOKS } from '../src/models/webhook/webhook.js';
import { QUEUE_DEPTH } from '../src/platform/database/queue.js';

/** Name of the metric of resident memory. */
export const RESIDENT = 'process_resident_memory_bytes';

/** @param name of a metric without labels */
export async function readMetric(url: string, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await readMetrics(url))?.[1]);
}

/** Statements that each request for the metrics sends. */
const OF_METRICS = new Set([QUEUE_DEPTH, STATE_OF_CHANGES, STATES_OF_WEBHOOKS].map(({ name }) => name));

/** @returns the number of SQL statements since the start, among them those of background jobs */
export async function countStatements(url: string): Promise<number> {
  const lines = (await readMetrics(url)).matchAll(
    /^daybook_sql_statement_duration_seconds_count\{.*statement="(\w+)".*\} (\d+)$/gm,
  );
  return [...lines].reduce((sum, [, name = '', count]) => sum + (OF_METRICS.has(name) ? 0 : Number(count)), 0);
}

async function readMetrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** @returns the share of the requests of `work` that the response cache answered */
export async function cacheHits(url: string, work: () => Promise<unknown>): Promise<number> {
  const before = countRequests(await readMetrics(url));
  await work();
  const after = countRequests(await readMetrics(url));
  return (after.hits - before.hits) / (after.all - before.all);
}

function countRequests(metrics: string): { hits: number; all: number } {
  const lines = metrics.matchAll(/^daybook_response_cache_requests_total\{.*result="(\w+)".*\} (\d+)$/gm);
  const counts = { hits: 0, all: 0 };
  for (const [, result, count] of lines) {
    counts.all += Number(count);
    if (result === 'hit' || result === 'shared') counts.hits += Number(count);
  }
  return counts;
}
