/** Addresses that were registered more than once before their first proof, and the state of addresses that links restore. */
import type { Migration } from '../src/platform/database/migration.js';

/** `registered_again`: another registration named the address before it was confirmed, so that the password may be that of another person. */
const members = `
alter table members add column registered_again boolean not null default false;
`;

/** Whether the address was confirmed when the link that restores it was created. */
const tokens = `
alter table one_time_tokens add column was_confirmed boolean not null default true;
`;

export const migration: Migration = {
  name: '0029-proof-of-addresses',
  locks: { one_time_tokens: 'access exclusive', members: 'access exclusive' },
  up: [tokens, members],
};
