/** The unique index of addresses by their keys replaces the one that depends on the locale. */
import type { Migration } from '../src/platform/database/migration.js';

/**
 * Until they end, processes of the previous version look addresses up without an index. They report a taken address by the name of the index. What
 * is unique in their comparison is unique in this one, since it folds fewer letters.
 */
const replaced = `
drop index members_email_key;
alter index members_email_ascii_key rename to members_email_key;
drop index one_time_tokens_email;
`;

export const migration: Migration = {
  name: '0027-email-key-names',
  locks: { one_time_tokens: 'access exclusive', members: 'access exclusive' },
  up: [replaced],
};
