/** The error for an operation that asks for more than the limits allow. */
import { AppError } from '../errors.js';
import type { Message } from '../messages/message.js';
import { reachedLimits } from '../observability/metrics/refusal.js';

/** @param counted the limit, as metrics name it */
export function tooComplex(counted: string, message: Message): AppError {
  reachedLimits.inc({ counted });
  return new AppError('QUERY_TOO_COMPLEX', { message });
}
