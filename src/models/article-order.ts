/** The orders in which articles can be listed. */
import type { Order } from './slice.js';

/** The orders, as REST clients write them. */
export const ARTICLE_ORDERS = {
  'createdAt,asc': { key: 'a.created_at', type: 'timestamptz', isDescending: false },
  'createdAt,desc': { key: 'a.created_at', type: 'timestamptz', isDescending: true },
  'updatedAt,asc': { key: 'a.updated_at', type: 'timestamptz', isDescending: false },
  'updatedAt,desc': { key: 'a.updated_at', type: 'timestamptz', isDescending: true },
  'title,asc': { key: 'a.title_key', type: 'text', isDescending: false },
  'title,desc': { key: 'a.title_key', type: 'text', isDescending: true },
  'commentCount,asc': { key: 'a.comment_count', type: 'integer', isDescending: false },
  'commentCount,desc': { key: 'a.comment_count', type: 'integer', isDescending: true },
} as const satisfies Record<string, Order>;

export type ArticleOrder = keyof typeof ARTICLE_ORDERS;

export const NEWEST_FIRST: ArticleOrder = 'createdAt,desc';
