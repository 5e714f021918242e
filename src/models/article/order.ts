/** Sort orders of article lists. */
import type { Order } from '../../database/keyset.js';

/** The sort orders by the value of the REST parameter. */
export const ARTICLE_ORDERS = {
  'createdAt,asc': { key: 'a.created_at', type: 'timestamptz', isDescending: false, meaning: 'The oldest first.' },
  'createdAt,desc': { key: 'a.created_at', type: 'timestamptz', isDescending: true, meaning: 'The newest first.' },
  'updatedAt,asc': {
    key: 'a.updated_at',
    type: 'timestamptz',
    isDescending: false,
    meaning: 'The longest untouched first.',
  },
  'updatedAt,desc': { key: 'a.updated_at', type: 'timestamptz', isDescending: true, meaning: 'The last edited first.' },
  'title,asc': { key: 'a.title_key', type: 'text', isDescending: false, meaning: 'By title, without regard to case.' },
  'title,desc': { key: 'a.title_key', type: 'text', isDescending: true, meaning: 'By title, from the end.' },
  'commentCount,asc': {
    key: 'a.comment_count',
    type: 'integer',
    isDescending: false,
    meaning: 'The least discussed first.',
  },
  'commentCount,desc': {
    key: 'a.comment_count',
    type: 'integer',
    isDescending: true,
    meaning: 'The most discussed first.',
  },
} as const satisfies Record<string, Order & { meaning: string }>;

export type ArticleOrder = keyof typeof ARTICLE_ORDERS;

export const DEFAULT_ARTICLE_ORDER: ArticleOrder = 'createdAt,desc';
