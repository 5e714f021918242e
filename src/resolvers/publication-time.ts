/** The time of publication that an author gives. */
import ms from 'ms';
import type { Context } from '../context.js';
import { invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';

/** Clocks of clients differ from that of the database. */
const TOLERANCE_MS = ms('60s');

/** @param publishedAt in RFC 3339. @returns the time to store, which is not in the future; undefined if none is given. @throws AppError VALIDATION_FAILED */
export function publicationTime(
  { database }: Pick<Context, 'database'>,
  publishedAt: string | null | undefined,
): Date | undefined {
  if (publishedAt == null) return undefined;
  const [time, now] = [Date.parse(publishedAt), database.now()];
  if (time < 0 || time > now + TOLERANCE_MS) throw invalid('publishedAt', createMessage('mustBePast', publishedAt));
  return new Date(Math.min(time, now));
}
