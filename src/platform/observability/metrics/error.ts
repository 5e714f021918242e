/** Counters of error responses by key, and of limits that requests reached. */
import { Counter } from 'prom-client';
import type { ErrorKey } from '../../error-keys.js';
import { AppError, type ErrorDetails } from '../../errors.js';

/** `api` is the API (`rest`, `graphql` or `mcp`), `key` one of the error keys. */
export const errorsReturned = new Counter({
  name: 'daybook_errors_total',
  help: 'Errors returned to clients, by API and key. INTERNAL_ERROR is an unexpected error.',
  labelNames: ['api', 'key'] as const,
});

export const reachedLimits = new Counter({
  name: 'daybook_limits_reached_total',
  help: 'Requests rejected because a limit was reached, by what the limit counts.',
  labelNames: ['counted'] as const,
});

/** The error of a request that exceeds a limit, counted in the metrics. @param counted the metric label of the limit */
export function limitError(counted: string, key: ErrorKey, details: ErrorDetails): AppError {
  reachedLimits.inc({ counted });
  return new AppError(key, details);
}
