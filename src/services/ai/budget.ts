/** Limits the AI provider calls of a member: a daily budget over all processes, and a concurrency limit in each process. */
import type { Database } from '../../platform/database/pool.js';
import { createMessage } from '../../platform/messages/message.js';
import { limitError, reachedLimits } from '../../platform/observability/metrics/error.js';
import { type Caller, viewerOf } from '../auth/policy.js';
import { memberTask } from '../limits/client-task.js';
import type { RateLimiter } from '../limits/rate-limiter.js';
import { type FailureReason, ProviderFailure } from './provider-failure.js';

/** Failures before the provider starts processing. All other failures may cost as much as a successful response. */
const NOT_CHARGED = new Set<FailureReason>(['connection', 'server', 'busy', 'open', 'key']);

/**
 * Runs a call to the provider on the viewer's budget.
 * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function withinAiBudget<Result>(caller: Caller, call: () => Promise<Result>): Promise<Result> {
  const { memberId } = viewerOf(caller);
  const { key, network } = memberTask(caller, memberId);
  const { aiRequests, runningAiRequests } = caller.limits;
  return aiRequests.run(key, () =>
    runningAiRequests.run({ key, network }, async () => withRefund(await spendAiBudget(caller), call)),
  );
}

/**
 * Runs a call to the provider on a member's budget for automatic summaries.
 * @returns null where the budget of the day is used up
 */
export async function withinSummaryBudget<Result>(
  { limits, database }: Pick<Caller, 'limits' | 'database'>,
  memberId: number,
  call: () => Promise<Result>,
): Promise<Result | null> {
  const refund = await spend(limits.automaticSummaries, memberId, database);
  if (refund) return withRefund(refund, call);
  reachedLimits.inc({ counted: 'automatic summaries' });
  return null;
}

/**
 * Counts one request against the viewer's budget of the day.
 * @returns a function that refunds the request to the day for which it was counted
 * @throws AppError RATE_LIMITED if none are left
 */
export async function spendAiBudget(caller: Caller): Promise<Refund> {
  const { database, limits, config } = caller;
  const now = database.now();
  const refund = await spend(limits.ai, viewerOf(caller).memberId, database);
  if (refund) return refund;
  throw limitError('AI requests', 'RATE_LIMITED', {
    message: createMessage('aiBudgetSpent', config.aiRequestsPerDay),
    retryAfter: Math.ceil((startOfDayAfter(now) - now) / 1000),
  });
}

type Refund = () => Promise<void>;

/** @returns a function that refunds the request; null if the budget of the day is used up */
async function spend(budget: RateLimiter, memberId: number, database: Database): Promise<Refund | null> {
  const key = [String(memberId), dayOf(database.now())];
  const refund = () => budget.refund(database, ...key);
  const wait = await budget.count(database, ...key);
  if (wait === 0) return refund;
  // Rejected calls are not counted: otherwise refunded requests could not be used again.
  await refund();
  return null;
}

/** Runs a counted call, and refunds it if the provider did not start processing it. */
async function withRefund<Result>(refund: Refund, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    // An error of the counter is ignored: the response must report the provider's failure.
    if (error instanceof ProviderFailure && NOT_CHARGED.has(error.reason)) await refund().catch(() => {});
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
