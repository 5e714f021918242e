/** Rate limits counted in Redis, by its clock. While it cannot be reached, writes of members are not limited, and logins are rejected. */
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../platform/config/setting.js';
import { AppError } from '../../platform/errors.js';
import type { Log } from '../../platform/observability/log.js';
import { digest, type LimitStore, type RateLimiter } from './rate-limiter.js';

/** Timeout of a command in milliseconds, including the wait for a connection. */
const REDIS_TIMEOUT_MS = 2_000;
/** Retry-After of a request that failed because Redis cannot be reached. */
const RETRY_AFTER_SECONDS = 5;
/** Time after a failed command in which writes do not wait for another one. */
const RETRY_DELAY_MS = 5_000;

/** Adds points. A window ends at most its duration from now: the clock of Redis may have been set back since it began. */
const COUNT = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local points = redis.call('incrby', KEYS[1], ARGV[1])
local remaining = redis.call('pttl', KEYS[1])
if remaining < 0 or remaining > 1000 * ARGV[2] then
  redis.call('expire', KEYS[1], ARGV[2])
  remaining = 1000 * ARGV[2]
end
return {points, remaining}`;

export function redisStore(url: string, log: Log): LimitStore {
  const redis = new Redis(url, {
    commandTimeout: REDIS_TIMEOUT_MS,
    connectTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 100, REDIS_TIMEOUT_MS),
  });
  // Commands reject on their own. Without an `error` listener the event would crash the process.
  redis.on('error', (error: NodeJS.ErrnoException) => log.warn({ code: error.code }, 'Redis connection failed'));
  let failedAt = Number.NEGATIVE_INFINITY;
  const isReachable = () => redis.status === 'ready' && performance.now() - failedAt > RETRY_DELAY_MS;
  /** Maps errors of Redis to SERVICE_UNAVAILABLE, because no other code recognizes them. */
  const guard = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (cause) {
      const { name, message } = cause as Error;
      log.warn({ service: 'Redis', err: name, reason: message }, 'a service failed');
      failedAt = performance.now();
      throw new AppError('SERVICE_UNAVAILABLE', { cause, retryAfter: RETRY_AFTER_SECONDS });
    }
  };
  const counterOf = (name: string, { points, durationMs }: RateLimit) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `daybook:limit:${name}`,
      points,
      duration: durationMs / 1000,
      customIncrTtlLuaScript: COUNT,
    });
  return {
    limiter: (name, limit) => limiterOver(counterOf(name, limit), redis, guard),
    multiLimiter: (limits) => {
      const counters = limits.map((limit) => counterOf(limit.name, limit));
      const unlimited = limits.map(() => 0);
      const count = (points: readonly number[], key: string) =>
        Promise.all(counters.map((counter, index) => consume(counter, key, points[index] ?? 0)));
      return {
        count: async (points, ...key) =>
          isReachable() ? guard(count(points, digest(key))).catch(() => unlimited) : unlimited,
        refund: async (points, ...key) => {
          if (!isReachable()) return;
          const refunds = counters.map((counter, index) => counter.reward(digest(key), points[index] ?? 0));
          await guard(Promise.all(refunds)).catch(() => {});
        },
      };
    },
    isReachable,
    close: async () => redis.disconnect(),
  };
}

/** Fails closed: every call throws while Redis cannot be reached. */
function limiterOver(
  counter: RateLimiterRedis,
  redis: Redis,
  guard: <Result>(result: Promise<Result>) => Promise<Result>,
): RateLimiter {
  const durationMs = counter.duration * 1000;
  return {
    retryAfterMs: async (...key) => {
      const counted = await guard(counter.get(digest(key)));
      if (!counted || counted.consumedPoints < counter.points) return 0;
      if (counted.msBeforeNext > durationMs) await guard(redis.pexpire(counter.getKey(digest(key)), durationMs));
      return Math.min(counted.msBeforeNext, durationMs);
    },
    count: (...key) => guard(consume(counter, digest(key), 1)),
    refund: async (...key) => void (await guard(counter.reward(digest(key)))),
    reset: async (...key) => void (await guard(counter.delete(digest(key)))),
  };
}

/** @returns the milliseconds to wait where the limit is exceeded, otherwise 0 */
async function consume(counter: RateLimiterRedis, key: string, points: number): Promise<number> {
  if (points === 0) return 0;
  try {
    await counter.consume(key, points);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.msBeforeNext;
    throw error;
  }
}
