/** Passkeys, and the challenges that have been used with them. */
import type { Migration } from '../src/platform/database/migration.js';

const passkeys = `
-- The user handle (WebAuthn Level 3 §14.6.1) is random, and not the id of the member. Null before the first registration of a passkey.
alter table members add column user_handle uuid;

create table passkeys (
  id                 bigint generated always as identity primary key,
  member_id          bigint not null references members on delete cascade,
  name               varchar(30) not null,
  credential_id      bytea not null unique check (length(credential_id) between 1 and 1023),
  -- A COSE key.
  public_key         bytea not null check (length(public_key) between 1 and 2048),
  counter            bigint not null check (counter between 0 and 4294967295),
  transports         text[] not null,
  is_backup_eligible boolean not null,
  is_backed_up       boolean not null check (is_backup_eligible or not is_backed_up),
  created_at         timestamptz(3) not null default now(),
  last_used_at       timestamptz(3)
);
create index passkeys_member on passkeys (member_id, id);

-- Challenges are signed and not stored until their use, which is recorded until they expire.
create table used_challenges (
  signature  bytea primary key check (length(signature) = 32),
  expires_at timestamptz(3) not null
);
create index used_challenges_expires_at on used_challenges (expires_at);
`;

export const migration: Migration = {
  name: '0020-passkeys',
  locks: { members: 'access exclusive' },
  up: [passkeys],
};
