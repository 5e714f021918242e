/** Where limits are counted, so that all processes count together: in PostgreSQL, or in Redis where there is one. */
import { Redis } from 'ioredis';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Limit } from '../config-values.js';
import { AppError } from '../errors.js';
import type { Log } from '../log.js';
import type { Database } from '../models/database.js';
import type { Services } from '../services.js';
import { type Limiter, limiterOver } from './limiter.js';

export interface LimitStore {
  limiter(name: string, limit: Limit): Limiter;
  close(): Promise<void>;
}

export function openLimitStore({ config, database, log }: Services): LimitStore {
  return config.redisUrl === null ? postgresStore(database) : redisStore(config.redisUrl, log);
}

function postgresStore(database: Database): LimitStore {
  return {
    limiter: (name, { points, duration }) =>
      limiterOver(
        new RateLimiterPostgres({
          storeClient: clientOf(database),
          storeType: 'client',
          tableName: 'rate_limits',
          tableCreated: true,
          keyPrefix: name,
          points,
          duration: duration / 1000,
        }),
      ),
    close: async () => {},
  };
}

/** What pg's client would be, on the pool that everything else uses. */
function clientOf(database: Database) {
  return {
    query: async ({ name, text, values }: { name: string; text: string; values: unknown[] }) => {
      const rows = await database.query({ name, text }, values);
      return { rows, rowCount: rows.length };
    },
  };
}

/** Milliseconds that one command may take, the wait for a connection included. */
const REDIS_TIMEOUT = 2_000;

function redisStore(url: string, log: Log): LimitStore {
  const redis = new Redis(url, {
    commandTimeout: REDIS_TIMEOUT,
    connectTimeout: REDIS_TIMEOUT,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 100, REDIS_TIMEOUT),
  });
  // Commands fail by themselves; without a listener the process would.
  redis.on('error', (error: NodeJS.ErrnoException) => log.warn({ code: error.code }, 'Redis cannot be reached'));
  return {
    limiter: (name, { points, duration }) =>
      unavailableWithout(
        limiterOver(
          new RateLimiterRedis({
            storeClient: redis,
            keyPrefix: `daybook:limit:${name}`,
            points,
            duration: duration / 1000,
          }),
        ),
      ),
    close: async () => redis.disconnect(),
  };
}

/** Redis's errors are not known to be what they are elsewhere. */
function unavailableWithout(limiter: Limiter): Limiter {
  const guard = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (cause) {
      throw new AppError('SERVICE_UNAVAILABLE', { cause });
    }
  };
  return {
    waitOf: (...key) => guard(limiter.waitOf(...key)),
    count: (...key) => guard(limiter.count(...key)),
    giveBack: (...key) => guard(limiter.giveBack(...key)),
    forget: (...key) => guard(limiter.forget(...key)),
  };
}
