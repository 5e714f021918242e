/** Limit of open streams of one member in one process: each stream uses memory while it is open. */
import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';

/** Retry-After in seconds: the time in which a stream abandoned by its client should have been detected and closed. */
const RETRY_AFTER_SECONDS = 30;

/** @throws AppError RATE_LIMITED where `most` or more are open */
export function requireStreamSlot(open: ReadonlySet<unknown>, most: number): void {
  const refusal = streamLimitError(open.size, most);
  if (refusal) throw refusal;
}

/** The error for one more stream; null while fewer than `most` are open. */
export function streamLimitError(open: number, most: number): AppError | null {
  if (open < most) return null;
  return new AppError('RATE_LIMITED', {
    message: createMessage('tooManyStreams', open, most),
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
