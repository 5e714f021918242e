/** Sort orders of article lists. */
import type { Order } from '../../platform/database/keyset.js';

/** Where the key of an order is that counts what readers do. */
interface Counts {
  /** Has columns `article_id`, `is_private`, `member_id` and `category_id`. */
  readonly table: 'article_counts' | 'article_trends';
  readonly alias: string;
  /** Empty without a period. */
  readonly conditions: readonly string[];
  /** Of a period: a query for the number of public articles. */
  readonly total?: string;
}

export interface ListOrder extends Order {
  /** Null for an order by a column of the article. */
  readonly counts: Counts | null;
}

export const OF_ALL_TIME: Counts = { table: 'article_counts', alias: 'r', conditions: [] };

const CREATED_AT = { key: 'a.created_at', type: 'timestamptz', counts: null } as const;
const UPDATED_AT = { key: 'a.updated_at', type: 'timestamptz', counts: null } as const;
const TITLE = { key: 'a.title_key', type: 'text', counts: null } as const;
const COUNT = { type: 'integer', counts: OF_ALL_TIME, isDescending: true } as const;
const COMMENT_COUNT = { key: 'a.comment_count', type: 'integer', counts: null } as const;

/** The sort orders by the value of the REST parameter. */
export const ARTICLE_ORDERS = {
  'createdAt,asc': { ...CREATED_AT, isDescending: false, meaning: 'By time of publication, oldest first.' },
  'createdAt,desc': { ...CREATED_AT, isDescending: true, meaning: 'By time of publication, newest first.' },
  'updatedAt,asc': { ...UPDATED_AT, isDescending: false, meaning: 'By time of the last edit, oldest first.' },
  'updatedAt,desc': { ...UPDATED_AT, isDescending: true, meaning: 'By time of the last edit, newest first.' },
  'title,asc': { ...TITLE, isDescending: false, meaning: 'By title, ascending, ignoring case.' },
  'title,desc': { ...TITLE, isDescending: true, meaning: 'By title, descending, ignoring case.' },
  'commentCount,asc': { ...COMMENT_COUNT, isDescending: false, meaning: 'By number of comments, ascending.' },
  'commentCount,desc': { ...COMMENT_COUNT, isDescending: true, meaning: 'By number of comments, descending.' },
  'likeCount,desc': { ...COUNT, key: 'r.likes', meaning: 'By number of likes, descending.' },
  'viewCount,desc': { ...COUNT, key: 'r.views', meaning: 'By number of views, descending.' },
} as const satisfies Record<string, ListOrder & { meaning: string }>;

export type ArticleOrder = keyof typeof ARTICLE_ORDERS;

export const ARTICLE_ORDER_MEANINGS = Object.fromEntries(
  Object.entries(ARTICLE_ORDERS).map(([order, { meaning }]) => [order, meaning]),
) as Record<ArticleOrder, string>;

export const DEFAULT_ARTICLE_ORDER: ArticleOrder = 'createdAt,desc';

/** The days of each period, including today (UTC), by the value of the REST parameter. */
const PERIODS = { day: 1, week: 7, month: 30 };

export type ArticlePeriod = keyof typeof PERIODS;

export const ARTICLE_PERIOD_MEANINGS: Record<ArticlePeriod, string> = {
  day: 'Today.',
  week: 'The last 7 days, including today.',
  month: 'The last 30 days, including today.',
};

/** An order by likes or views, to which periods apply. */
export function isByCount(order: ArticleOrder | null | undefined): boolean {
  return order === 'likeCount,desc' || order === 'viewCount,desc';
}

/** @param period only with an order for which `isByCount` holds */
export function orderIn(order: ArticleOrder, period?: ArticlePeriod | undefined): ListOrder {
  const by: ListOrder = ARTICLE_ORDERS[order];
  if (by.counts === null || period === undefined) return by;
  const days = PERIODS[period];
  const key = by.key.replace('r.', 'd.');
  const size = order === 'likeCount,desc' ? 't.liked' : 't.viewed';
  const counts = {
    table: 'article_trends',
    alias: 'd',
    conditions: [`d.days = ${days}`, `${key} > 0`],
    total: `select coalesce(sum(${size}), 0) from trend_totals t where t.days = ${days}`,
  } as const;
  return { ...by, key, counts };
}

/** Joins the counts of an order to articles `a`, whose rows have each at most one of them. */
export function joinCounts({ counts }: ListOrder): string {
  if (!counts) return '';
  const { table, alias, conditions } = counts;
  return ` join ${table} ${alias} on ${[`${alias}.article_id = a.id`, ...conditions].join(' and ')}`;
}

/** The name of an order in cursors. */
export function orderName(order: ArticleOrder, period: ArticlePeriod | undefined): string {
  return period === undefined ? order : `${order},${period}`;
}
