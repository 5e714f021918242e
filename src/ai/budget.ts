/** What a member may ask of AI: so much a day, counted over all processes, and little at a time. */
import { viewerOf } from '../auth/policy.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import { reachedLimits } from '../metrics/refusal.js';
import { type FailureReason, ProviderFailure } from './failure.js';

/** With these the provider has not begun to work. Whatever else goes wrong may have cost as much as an answer. */
const COST_NOTHING = new Set<FailureReason>(['connection', 'server', 'busy', 'open', 'key']);

/**
 * Runs a call to the provider on the viewer's budget. One that the provider did not take up costs nothing.
 * @throws AppError RATE_LIMITED
 */
export async function withinAiBudget<Result>(context: Context, call: () => Promise<Result>): Promise<Result> {
  const { memberId } = viewerOf(context);
  return context.limits.aiPlaces.hold(String(memberId), async () => {
    const giveBack = await spendAiBudget(context);
    try {
      return await call();
    } catch (error) {
      // The failure is what the member should hear of, also where the counter cannot be reached now.
      if (error instanceof ProviderFailure && COST_NOTHING.has(error.reason)) await giveBack().catch(() => {});
      throw error;
    }
  });
}

/**
 * Counts one of the day's requests.
 * @returns gives it back, to the day that it was taken from
 * @throws AppError RATE_LIMITED where there are none left
 */
export async function spendAiBudget(context: Context): Promise<() => Promise<void>> {
  const now = Date.now();
  const key = [String(viewerOf(context).memberId), dayOf(now)];
  const giveBack = () => context.limits.ai.giveBack(...key);
  const wait = await context.limits.ai.count(...key);
  if (wait === 0) return giveBack;
  // What was refused is not counted: otherwise what is given back could not be spent again.
  await giveBack();
  reachedLimits.inc({ counted: 'AI requests' });
  throw new AppError('RATE_LIMITED', {
    message: say('aiBudgetSpent', context.config.aiDailyBudget),
    retryAfter: Math.ceil((startOfDayAfter(now) - now) / 1000),
  });
}

/** Such as `2026-11-20`, in UTC. @param moment milliseconds since 1970 */
function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function startOfDayAfter(moment: number): number {
  return new Date(moment).setUTCHours(24, 0, 0, 0);
}
