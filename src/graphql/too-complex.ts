/** The error for an operation that exceeds a complexity limit. */
import { AppError } from '../errors.js';
import type { Message } from '../messages/message.js';
import { reachedLimits } from '../observability/metrics/refusal.js';

/** @param counted label of the limit in the metrics */
export function tooComplex(counted: string, message: Message): AppError {
  reachedLimits.inc({ counted });
  return new AppError('QUERY_TOO_COMPLEX', { message });
}
