/** The revision of an imported article that the import wrote, so that `import --update` leaves articles that were edited since. */
import type { Migration } from '../src/platform/database/migration.js';

// 1 for records of before: articles whose links or pictures an import has replaced since count as edited.
const revision = 'alter table imported_records add column revision integer not null default 1';

export const migration: Migration = {
  name: '0060-imported-revisions',
  locks: { imported_records: 'access exclusive' },
  up: [revision],
};
