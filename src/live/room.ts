/** How much one member may have open in one process: what is open costs memory for as long as it is. */
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';

/** Seconds after which a stream that its client has given up is certain to be noticed. */
const RETRY_AFTER = 30;

/** @throws AppError RATE_LIMITED where there are `most` already */
export function requireRoom(open: ReadonlySet<unknown>, most: number): void {
  const refusal = refuseFull(open.size, most);
  if (refusal) throw refusal;
}

/** What one more is told; null where there is room for it. */
export function refuseFull(open: number, most: number): AppError | null {
  if (open < most) return null;
  return new AppError('RATE_LIMITED', { message: say('tooManyStreams', open, most), retryAfter: RETRY_AFTER });
}
