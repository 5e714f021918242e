/** Sort orders of article lists. */
import type { Order } from '../../database/keyset.js';

/** The sort orders by the value of the REST parameter. */
export const ARTICLE_ORDERS = {
  'createdAt,asc': {
    key: 'a.created_at',
    type: 'timestamptz',
    isDescending: false,
    meaning: 'By time of publication, oldest first.',
  },
  'createdAt,desc': {
    key: 'a.created_at',
    type: 'timestamptz',
    isDescending: true,
    meaning: 'By time of publication, newest first.',
  },
  'updatedAt,asc': {
    key: 'a.updated_at',
    type: 'timestamptz',
    isDescending: false,
    meaning: 'By time of the last edit, oldest first.',
  },
  'updatedAt,desc': {
    key: 'a.updated_at',
    type: 'timestamptz',
    isDescending: true,
    meaning: 'By time of the last edit, newest first.',
  },
  'title,asc': {
    key: 'a.title_key',
    type: 'text',
    isDescending: false,
    meaning: 'By title, ascending, ignoring case.',
  },
  'title,desc': {
    key: 'a.title_key',
    type: 'text',
    isDescending: true,
    meaning: 'By title, descending, ignoring case.',
  },
  'commentCount,asc': {
    key: 'a.comment_count',
    type: 'integer',
    isDescending: false,
    meaning: 'By number of comments, ascending.',
  },
  'commentCount,desc': {
    key: 'a.comment_count',
    type: 'integer',
    isDescending: true,
    meaning: 'By number of comments, descending.',
  },
} as const satisfies Record<string, Order & { meaning: string }>;

export type ArticleOrder = keyof typeof ARTICLE_ORDERS;

export const DEFAULT_ARTICLE_ORDER: ArticleOrder = 'createdAt,desc';
