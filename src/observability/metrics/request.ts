/** Metrics of HTTP requests: count, duration and status class. */
import { Durations } from './durations.js';
import { SECONDS } from './registry.js';

/** Values of the `method` label. Other methods are counted as `other`, so that clients cannot create new series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const durations = new Durations({
  name: 'daybook_http_request_duration_seconds',
  help: 'Duration from the arrival of a request to the end of its response. `route` is a pattern, or `none` for an unknown path; `status` is a class, or `aborted` if the client disconnected.',
  labels: ['method', 'route', 'status'],
  buckets: SECONDS,
});

export interface ServedRequest {
  method: string;
  /** The pattern; undefined where none matched. */
  route: string | undefined;
  status: number;
  isAborted: boolean;
  /** Seconds. */
  duration: number;
}

export function observeRequest({ method, route, status, isAborted, duration }: ServedRequest): void {
  const outcome = isAborted ? 'aborted' : `${Math.floor(status / 100)}xx`;
  durations.observe(duration, METHODS.has(method) ? method : 'other', route ?? 'none', outcome);
}
