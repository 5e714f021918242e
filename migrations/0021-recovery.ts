/** Confirmed e-mail addresses, and one-time links for passwords and addresses. */
import type { Migration } from '../src/platform/database/migration.js';

/** `pending_since`: the registration, if the account may log in only after a confirmation; null after the first login. */
const confirmed = `
alter table members add column email_verified_at timestamptz(3), add column pending_since timestamptz(3);
`;

/** `email`: the address that a link confirms, or restores, or to which a link for a new password was sent. */
const tokens = `
create table one_time_tokens (
  id bigint generated always as identity primary key,
  token_hash bytea not null check (length(token_hash) = 32),
  member_id bigint not null references members on delete cascade,
  purpose text not null check (purpose in ('reset', 'confirm', 'change', 'undo')),
  email varchar(254) check (email is not null or purpose = 'reset'),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint one_time_tokens_hash_key unique (token_hash)
);
create unique index one_time_tokens_newest_key on one_time_tokens (member_id, purpose) where purpose <> 'undo';
create index one_time_tokens_member on one_time_tokens (member_id);
create index one_time_tokens_email on one_time_tokens (lower(email)) where purpose in ('change', 'undo');
create index one_time_tokens_expired on one_time_tokens (expires_at);
`;

/** Requests for links, whether or not the address has an account, until a job has handled them. */
const requests = `
create table link_requests (
  id uuid primary key default gen_random_uuid(),
  purpose text not null check (purpose in ('reset', 'confirm')),
  email varchar(254) not null,
  address text not null,
  device text not null,
  created_at timestamptz(3) not null default now()
);
`;

/** An address that a link can restore is not available to other members, so that the link works. */
const reserved = `
create function email_reserved() returns trigger language plpgsql as $$
begin
  if exists (select from one_time_tokens where purpose = 'undo' and lower(email) = lower(new.email)
             and member_id <> new.id and expires_at > now()) then
    raise unique_violation using constraint = 'members_email_key', message = 'the email is reserved';
  end if;
  return new;
end $$;
create trigger email_reserved before insert or update of email on members
  for each row when (new.email is not null) execute function email_reserved();
`;

const pending = 'create index members_pending on members (pending_since) where pending_since is not null';

export const migration: Migration = {
  name: '0021-recovery',
  locks: { members: 'access exclusive' },
  up: [confirmed, tokens, requests, reserved],
  indexes: [pending],
};
