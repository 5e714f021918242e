/** Tests of what changes at the end of a day, an hour or a minute (UTC): views count by day and are written each minute, trends are those of an hour. */
import { setTimeout as delay } from 'node:timers/promises';

const PERIODS = { day: 86_400_000, hour: 3_600_000, minute: 60_000 };

/** Waits for the next period if this one ends sooner than this. */
export async function awayFromEndOf(period: keyof typeof PERIODS, ms: number): Promise<void> {
  const restMs = PERIODS[period] - (Date.now() % PERIODS[period]);
  if (restMs < ms) await delay(restMs + 100);
}
