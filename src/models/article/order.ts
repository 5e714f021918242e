/** Sort orders of article lists. */
import type { Order } from '../../platform/database/keyset.js';

const CREATED_AT = { key: 'a.created_at', type: 'timestamptz' } as const;
const UPDATED_AT = { key: 'a.updated_at', type: 'timestamptz' } as const;
const TITLE = { key: 'a.title_key', type: 'text' } as const;
const COMMENT_COUNT = { key: 'a.comment_count', type: 'integer' } as const;

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
} as const satisfies Record<string, Order & { meaning: string }>;

export type ArticleOrder = keyof typeof ARTICLE_ORDERS;

export const ARTICLE_ORDER_MEANINGS = Object.fromEntries(
  Object.entries(ARTICLE_ORDERS).map(([order, { meaning }]) => [order, meaning]),
) as Record<ArticleOrder, string>;

export const DEFAULT_ARTICLE_ORDER: ArticleOrder = 'createdAt,desc';
