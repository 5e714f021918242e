/** The list of the hidden comments on an article. */
import type { Migration } from '../src/platform/database/migration.js';

const hidden =
  'create index comments_hidden on comments (article_id, created_at desc, id desc) where is_hidden and deleted_at is null';

export const migration: Migration = {
  name: '0023-hidden-comment-lists',
  locks: {},
  up: [],
  indexes: [hidden],
};
