/** The indexes of 0031-private-articles replace those of all articles for public lists. Those of a member and of a category remain for the author. */
import type { Migration } from '../src/platform/database/migration.js';

const replaced =
  'drop index articles_created, articles_updated, articles_title, articles_comments, article_tags_created';

export const migration: Migration = {
  name: '0032-public-indexes',
  locks: { all_articles: 'access exclusive', all_article_tags: 'access exclusive' },
  up: [replaced],
};
