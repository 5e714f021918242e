/** The rate_limits table: counters of limits, by the clock of the database. */
import { statement } from '../platform/database/statement.js';

/** Milliseconds since 1970, as in the column `expire`. */
const NOW_MS = '(extract(epoch from now()) * 1000)::bigint';

/**
 * Counts for several limits at once; a count saturates at the integer maximum. The end of a window is at most its duration ahead: the clock may
 * have been set back since it began.
 */
export const COUNT_LIMITS = statement<
  [keys: string[], points: number[], durationsMs: number[]],
  { key: string; points: number; remainingMs: number }
>(
  'count_limits',
  `insert into rate_limits as r (key, points, expire)
   select key, points, ${NOW_MS} + ms from unnest($1::text[], $2::integer[], $3::bigint[]) as given(key, points, ms)
   on conflict (key) do update set
     points = case when r.expire <= ${NOW_MS} then excluded.points
                   else least(r.points::bigint + excluded.points, 2147483647)::integer end,
     expire = case when r.expire <= ${NOW_MS} then excluded.expire else least(r.expire, excluded.expire) end
   returning key, points, expire - ${NOW_MS} as "remainingMs"`,
);

export const COUNTED_POINTS = statement<[key: string], { points: number; remainingMs: number }>(
  'counted_points',
  `select points, expire - ${NOW_MS} as "remainingMs" from rate_limits where key = $1 and expire > ${NOW_MS}`,
);

/** Ends a window at most its duration from now. */
export const SHORTEN_LIMIT = statement<[key: string, durationMs: number]>(
  'shorten_limit',
  `update rate_limits set expire = least(expire, ${NOW_MS} + $2::bigint) where key = $1`,
);

/** Not below 0: the window may have begun after the points were counted. */
export const REFUND_POINTS = statement<[key: string, points: number]>(
  'refund_points',
  `update rate_limits set points = greatest(points - $2::integer, 0) where key = $1 and expire > ${NOW_MS}`,
);

export const RESET_LIMIT = statement<[key: string]>('reset_limit', 'delete from rate_limits where key = $1');

export const DELETE_EXPIRED_LIMITS = statement<[]>(
  'delete_expired_limits',
  `delete from rate_limits where expire < ${NOW_MS}`,
);
