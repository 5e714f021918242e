/** Counts provider responses that cannot be used as failures. */

import { countFailure } from './metrics.js';
import type { AiOperation } from './provider.js';
import { ProviderFailure } from './provider-failure.js';

/** Runs `read` and counts a ProviderFailure that it throws. */
export function usable<Result>(operation: AiOperation, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProviderFailure) countFailure(operation, error.reason);
    throw error;
  }
}
