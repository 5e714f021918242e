/** Lists by likes and views, also of a period, and the archive by month (docs/decisions/discovery.md). */
import type { Migration } from '../src/platform/database/migration.js';
import { archive } from './0041-discovery/archive.js';
import { copies, countIndexes } from './0041-discovery/copies.js';
import { shards } from './0041-discovery/shards.js';
import { trendIndexes, trends } from './0041-discovery/trends.js';

export const migration: Migration = {
  name: '0041-discovery',
  locks: {
    all_articles: 'share row exclusive',
    members: 'share row exclusive',
    article_counts: 'access exclusive',
  },
  up: [shards, trends, copies, archive],
  indexes: [...countIndexes, ...trendIndexes],
};
