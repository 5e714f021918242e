/**
 * The function that counts views plans with indexes: the table of the day's readers begins empty, and until it is analyzed PostgreSQL would read all of
 * it for each view.
 */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0061-view-plans',
  locks: {},
  up: ['alter function count_views(date, bigint[], bigint[], bytea[], bytea[], integer) set enable_seqscan to off'],
};
