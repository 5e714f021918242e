/** API tokens: long-lived credentials of programs, each with its scopes. */
import type { Migration } from '../src/platform/database/migration.js';

/** Without an expiry, a token is valid until it is deleted. Its last use is updated in place (HOT), since no index contains it. */
const tokens = `
create table api_tokens (
  id           uuid primary key,
  member_id    bigint not null references members on delete cascade,
  token_hash   bytea not null unique check (length(token_hash) = 32),
  name         varchar(50) not null,
  scopes       text[] not null check (cardinality(scopes) > 0),
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3),
  last_used_at timestamptz(3)
) with (fillfactor = 80);
create index api_tokens_member on api_tokens (member_id);
create trigger api_tokens_ended after delete on api_tokens
  referencing old table as removed for each statement execute function sessions_ended();
`;

export const migration: Migration = {
  name: '0019-api-tokens',
  locks: { members: 'share row exclusive' },
  up: [tokens],
};
