/** The store of rate limits, shared by all processes: PostgreSQL, or Redis where it is configured. */
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import type { RateLimit } from '../config/setting.js';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import type { Log } from '../observability/log.js';
import { consume, digest, type JointLimiter, type Limiter, limiterOver } from './rate-limiter.js';

export interface LimitStore {
  limiter(name: string, limit: RateLimit): Limiter;
  jointLimiter(limits: readonly NamedLimit[]): JointLimiter;
  close(): Promise<void>;
}

export interface NamedLimit extends RateLimit {
  readonly name: string;
}

export async function openLimitStore(redisUrl: string | null, database: Database, log: Log): Promise<LimitStore> {
  return redisUrl === null ? postgresStore(database) : redisStore(redisUrl, log);
}

function postgresStore(database: Database): LimitStore {
  const cleanup = setInterval(() => {
    // A failure has no consequence: the next cleanup deletes the rows.
    database.query(DELETE_EXPIRED, [Date.now() - CLOCK_TOLERANCE_MS]).catch(() => {});
  }, CLEANUP_INTERVAL_MS).unref();
  return {
    limiter: (name, { points, durationMs }) =>
      limiterOver(
        new RateLimiterPostgres({
          storeClient: clientOf(database),
          storeType: 'client',
          tableName: 'rate_limits',
          tableCreated: true,
          // Every limiter would have a timer of its own, which cannot be stopped.
          clearExpiredByTimeout: false,
          keyPrefix: name,
          points,
          duration: durationMs / 1000,
        }),
      ),
    jointLimiter: (limits) => ({
      count: (points, ...key) => countJointly(database, limits, points, digest(key)),
    }),
    close: async () => clearInterval(cleanup),
  };
}

const CLEANUP_INTERVAL_MS = 300_000;
/** The clocks of processes may differ: rows are deleted an hour after they expired. */
const CLOCK_TOLERANCE_MS = 3_600_000;

const DELETE_EXPIRED = statement<[nowMs: number]>('delete_expired_limits', 'delete from rate_limits where expire < $1');

/** Like the statement of rate-limiter-flexible, for several limits at once; a count saturates at the integer maximum. */
const COUNT_JOINTLY = statement<
  [keys: string[], points: number[], endsMs: number[], nowMs: number],
  { key: string; points: number; expire: number }
>(
  'count_jointly',
  `insert into rate_limits as r (key, points, expire)
   select * from unnest($1::text[], $2::integer[], $3::bigint[])
   on conflict (key) do update set
     points = case when r.expire <= $4 then excluded.points
                   else least(r.points::bigint + excluded.points, 2147483647)::integer end,
     expire = case when r.expire <= $4 then excluded.expire else r.expire end
   returning key, points, expire`,
);

async function countJointly(
  database: Database,
  limits: readonly NamedLimit[],
  points: readonly number[],
  key: string,
): Promise<number[]> {
  const now = Date.now();
  const counted = limits
    .map(({ name, durationMs }, index) => ({
      key: `${name}:${key}`,
      points: points[index] ?? 0,
      expire: now + durationMs,
    }))
    .filter((count) => count.points > 0);
  const rows = await database.query(COUNT_JOINTLY, [
    counted.map((count) => count.key),
    counted.map((count) => count.points),
    counted.map((count) => count.expire),
    now,
  ]);
  const found = new Map(rows.map((row) => [row.key, row]));
  return limits.map(({ name, points: most }) => {
    const row = found.get(`${name}:${key}`);
    return row && row.points > most ? row.expire - now : 0;
  });
}

/** Adapts the shared pool to the interface of a pg client. */
function clientOf(database: Database) {
  return {
    query: async ({ name, text, values }: { name: string; text: string; values: unknown[] }) => {
      const rows = await database.query({ name, text }, values);
      return { rows, rowCount: rows.length };
    },
  };
}

/** Timeout of a command in milliseconds, including the wait for a connection. */
const REDIS_TIMEOUT_MS = 2_000;

/** Retry-After of a request that failed because Redis cannot be reached. */
const RETRY_AFTER_SECONDS = 5;

async function redisStore(url: string, log: Log): Promise<LimitStore> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    commandTimeout: REDIS_TIMEOUT_MS,
    connectTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 100, REDIS_TIMEOUT_MS),
  });
  // Commands reject on their own. Without an `error` listener the event would crash the process.
  redis.on('error', (error: NodeJS.ErrnoException) => log.warn({ code: error.code }, 'Redis connection failed'));
  const counterOf = (name: string, { points, durationMs }: RateLimit) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `daybook:limit:${name}`,
      points,
      duration: durationMs / 1000,
    });
  return {
    limiter: (name, limit) => unavailableWithout(limiterOver(counterOf(name, limit))),
    jointLimiter: (limits) => {
      const counters = limits.map((limit) => counterOf(limit.name, limit));
      const count = (points: readonly number[], key: string) =>
        Promise.all(counters.map((counter, index) => countIfAny(counter, key, points[index] ?? 0)));
      return { count: (points, ...key) => guard(count(points, digest(key))) };
    },
    close: async () => redis.disconnect(),
  };
}

function countIfAny(counter: RateLimiterRedis, key: string, points: number): Promise<number> {
  return points > 0 ? consume(counter, key, points) : Promise.resolve(0);
}

/** Maps errors of Redis to SERVICE_UNAVAILABLE, because no other code recognizes them. */
async function guard<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', { cause, retryAfter: RETRY_AFTER_SECONDS });
  }
}

function unavailableWithout(limiter: Limiter): Limiter {
  return {
    waitOf: (...key) => guard(limiter.waitOf(...key)),
    count: (...key) => guard(limiter.count(...key)),
    giveBack: (...key) => guard(limiter.giveBack(...key)),
    forget: (...key) => guard(limiter.forget(...key)),
  };
}
