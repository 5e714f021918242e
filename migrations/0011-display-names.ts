/** Detection of display names that look alike: a unique skeleton for each nickname (src/platform/display-name/skeleton.ts). */
import type { Migration } from '../src/platform/database/migration.js';

/** Null until the job `fill-name-skeletons` has computed it, and if two older members have names that look alike. */
const skeletons = 'alter table members add column nickname_skeleton text';
const unique = 'create unique index members_nickname_skeleton_key on members (nickname_skeleton)';
const missing = 'create index members_without_skeleton on members (id) where nickname_skeleton is null';

/** Index for withdrawal, which deletes the import records of the member. */
const imported = "create index imported_records_member on imported_records (row_id) where kind = 'member'";

export const migration: Migration = {
  name: '0011-display-names',
  locks: { members: 'access exclusive' },
  up: [skeletons],
  indexes: [unique, missing, imported],
};
