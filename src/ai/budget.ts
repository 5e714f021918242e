/** Limits the AI provider calls of a member: a daily budget over all processes, and a concurrency limit in each process. */

import type { Caller } from '../auth/caller.js';
import { viewerOf } from '../auth/policy.js';
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/limit.js';
import type { Limiter } from '../limits/limiter.js';
import { limitsOf } from '../limits/limits.js';
import { createMessage } from '../messages/message.js';
import { limitError, reachedLimits } from '../observability/metrics/error.js';
import { observeQueue } from '../observability/metrics/queue.js';
import type { Services } from '../services.js';
import { type FailureReason, ProviderFailure } from './provider-failure.js';

/** Failures before the provider has begun to work. All other failures may have cost as much as a successful response. */
const COST_NOTHING = new Set<FailureReason>(['connection', 'server', 'busy', 'open', 'key']);

/** The client waits while its text is rewritten, so a process at its limit rejects the next request instead of queueing it. */
const requests = observeQueue(
  new WeightedSemaphore({
    work: 'AI requests',
    permits: fixedLimit({
      area: 'Queues',
      error: 'SERVICE_UNAVAILABLE',
      value: 32,
      unit: 'count',
      about: 'Concurrent requests of all members for texts in another style and prompts, in each process.',
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
 * Counts one request against the viewer's budget of the day.
 * @returns a function that refunds the request to the day for which it was counted
 * @throws AppError RATE_LIMITED where there are none left
 */
export async function spendAiBudget(caller: Caller): Promise<GiveBack> {
  const now = Date.now();
  const giveBack = await spend(caller.limits.ai, viewerOf(caller).memberId, now);
  if (giveBack) return giveBack;
  throw limitError('AI requests', 'RATE_LIMITED', {
    message: createMessage('aiBudgetSpent', caller.config.aiRequestsPerDay),
    retryAfter: Math.ceil((startOfDayAfter(now) - now) / 1000),
  });
}

type GiveBack = () => Promise<void>;

/** @returns a function that refunds the request; null where the budget of the day is used up */
async function spend(budget: Limiter, memberId: number, now: number): Promise<GiveBack | null> {
  const key = [String(memberId), dayOf(now)];
  const giveBack = () => budget.giveBack(...key);
  const wait = await budget.count(...key);
  if (wait === 0) return giveBack;
  // Rejected calls are not counted: otherwise refunded requests could not be used again.
  await giveBack();
  return null;
}

/** Runs a counted call, and refunds it where the provider did not begin to work on it. */
async function countedBy<Result>(giveBack: GiveBack, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    // An error of the counter is ignored: the response must report the provider's failure.
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
