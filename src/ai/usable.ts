/** Answers that came and are of no use: they are failures too, though the provider did answer. */

import type { AiOperation } from '../services.js';
import { ProviderFailure } from './failure.js';
import { countFailure } from './metrics.js';

/** Counts it where `read` finds that the answer cannot be used. */
export function usable<Result>(operation: AiOperation, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProviderFailure) countFailure(operation, error.reason);
    throw error;
  }
}
