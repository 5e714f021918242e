/** Invitations for registration, and locked accounts. */
import type { Migration } from '../src/platform/database/migration.js';

const registration = `
create table invitations (
  token_hash bytea primary key check (length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
alter table members add column locked_at timestamptz(3);
`;

export const migration: Migration = {
  name: '0017-registration',
  locks: { members: 'access exclusive' },
  up: [registration],
};
