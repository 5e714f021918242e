/** When a message is delivered again after a failed attempt. */
import ms from 'ms';

const DELAYS = (['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const).map((delay) => ms(delay));

const MAX_DELAY_MS = ms('24h');

/** Part by which a delay can be longer or shorter, so that many services do not send to one receiver at the same time. */
const JITTER = 0.1;

/**
 * @param failures attempts since the last success, at least 1
 * @param random from 0 to 1
 * @returns null after the last attempt
 */
export function delayAfter(failures: number, retryAfterMs: number, random = Math.random()): number | null {
  const delay = DELAYS[failures - 1];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + JITTER * (2 * random - 1)), Math.min(retryAfterMs, MAX_DELAY_MS));
}
