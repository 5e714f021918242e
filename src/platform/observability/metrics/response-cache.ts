/** Metrics of the response cache: requests by result, memory, and how many requests share one validation statement. */
import { Counter, Gauge, Histogram } from 'prom-client';

/** `hit`: from memory. `shared`: the response of a concurrent equal request. `miss`: executed. `uncacheable`: executed, and not stored. `stale`: sent because the database failed. */
export type CacheResult = 'hit' | 'shared' | 'miss' | 'uncacheable' | 'stale';

export const cacheRequests = new Counter({
  name: 'daybook_response_cache_requests_total',
  help: 'Cacheable requests by API (rest, graphql) and result (hit, shared, miss, uncacheable, stale).',
  labelNames: ['api', 'result'] as const,
});

export const cacheEvictions = new Counter({
  name: 'daybook_response_cache_evictions_total',
  help: 'Responses that were removed from the cache to keep it within RESPONSE_CACHE_MB.',
});

export const cacheBytes = new Gauge({
  name: 'daybook_response_cache_bytes',
  help: 'Estimated memory of all cached responses.',
});

const batchSize = new Histogram({
  name: 'daybook_stamp_read_requests',
  help: 'Requests that share one statement which reads the current stamps.',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128],
});

export function observeStampBatch(requests: number): void {
  batchSize.observe(requests);
}
