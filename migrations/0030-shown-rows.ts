/** What a stored response shows of other members, so that it is not sent again after they have removed it. */
import type { Migration } from '../src/platform/database/migration.js';

const shown = 'alter table idempotency_keys add column shown jsonb';

export const migration: Migration = {
  name: '0030-shown-rows',
  locks: { idempotency_keys: 'access exclusive' },
  up: [shown],
};
