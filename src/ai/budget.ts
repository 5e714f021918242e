/** How often the AI provider is called for a member: a daily number over all processes, and few calls at the same time. */

import type { Caller } from '../auth/caller.js';
import { viewerOf } from '../auth/policy.js';
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/limit.js';
import { AppError } from '../errors.js';
import type { Limiter } from '../limits/limiter.js';
import { limitsOf } from '../limits/limits.js';
import { say } from '../messages/message.js';
import { observeQueue } from '../observability/metrics/queue.js';
import { reachedLimits } from '../observability/metrics/refusal.js';
import type { Services } from '../services.js';
import { type FailureReason, ProviderFailure } from './failure.js';

/** With these the provider has not begun to work. Whatever else goes wrong may have cost as much as an answer. */
const COST_NOTHING = new Set<FailureReason>(['connection', 'server', 'busy', 'open', 'key']);

/** A text is rewritten while its client waits, so that a full process rejects the next request instead of queueing it. */
const requests = observeQueue(
  new WeightedSemaphore({
    work: 'AI requests',
    permits: fixedLimit({
      area: 'Queues',
      error: 'SERVICE_UNAVAILABLE',
      value: 32,
      unit: 'count',
      about: 'Texts in another style and prompts of all members at the same time, in each process.',
    }),
    maxWaiting: 0,
    maxWaitingPerKey: 1,
    maxWaitMs: 1,
  }),
);

/**
 * Runs a call to the provider on the viewer's budget.
 * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function withinAiBudget<Result>(caller: Caller, call: () => Promise<Result>): Promise<Result> {
  const key = String(viewerOf(caller).memberId);
  return caller.limits.aiRequests.run(key, () =>
    requests.run({ key }, async () => countedBy(await spendAiBudget(caller), call)),
  );
}

/**
 * Runs a call to the provider on a member's budget for automatic summaries.
 * @returns null where the budget of the day is used up
 */
export async function withinSummaryBudget<Result>(
  services: Services,
  memberId: number,
  call: () => Promise<Result>,
): Promise<Result | null> {
  const giveBack = await spend(limitsOf(services).automaticSummaries, memberId, Date.now());
  if (giveBack) return countedBy(giveBack, call);
  reachedLimits.inc({ counted: 'automatic summaries' });
  return null;
}

/**
 * Counts one of the day's requests.
 * @returns gives it back, to the day that it was taken from
 * @throws AppError RATE_LIMITED where there are none left
 */
export async function spendAiBudget(caller: Caller): Promise<GiveBack> {
  const now = Date.now();
  const giveBack = await spend(caller.limits.ai, viewerOf(caller).memberId, now);
  if (giveBack) return giveBack;
  reachedLimits.inc({ counted: 'AI requests' });
  throw new AppError('RATE_LIMITED', {
    message: say('aiBudgetSpent', caller.config.aiDailyBudget),
    retryAfter: Math.ceil((startOfDayAfter(now) - now) / 1000),
  });
}

type GiveBack = () => Promise<void>;

/** @returns null where nothing is left of the day */
async function spend(budget: Limiter, memberId: number, now: number): Promise<GiveBack | null> {
  const key = [String(memberId), dayOf(now)];
  const giveBack = () => budget.giveBack(...key);
  const wait = await budget.count(...key);
  if (wait === 0) return giveBack;
  // Rejected calls are not counted: otherwise what is given back could not be spent again.
  await giveBack();
  return null;
}

/** A call that the provider did not accept costs nothing. */
async function countedBy<Result>(giveBack: GiveBack, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    // The failure is what the member should be notified of, also where the counter cannot be reached now.
    if (error instanceof ProviderFailure && COST_NOTHING.has(error.reason)) await giveBack().catch(() => {});
    throw error;
  }
}

/** Such as `2026-11-20`, in UTC. @param moment milliseconds since 1970 */
function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function startOfDayAfter(moment: number): number {
  return new Date(moment).setUTCHours(24, 0, 0, 0);
}
