/** The error for an operation that exceeds a complexity limit. */
import type { AppError } from '../errors.js';
import type { Message } from '../messages/message.js';
import { limitError } from '../observability/metrics/error.js';

/** @param counted label of the limit in the metrics */
export function tooComplex(counted: string, message: Message): AppError {
  return limitError(counted, 'QUERY_TOO_COMPLEX', { message });
}
