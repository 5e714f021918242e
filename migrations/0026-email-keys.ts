/** One rule for equal e-mail addresses, which does not depend on the locale of the database: only the letters A to Z are folded. */
import type { Migration } from '../src/platform/database/migration.js';

const reserved = `
create or replace function email_reserved() returns trigger language plpgsql as $$
begin
  if exists (select from one_time_tokens
             where purpose = 'undo' and lower(email::text collate "C") = lower(new.email::text collate "C")
               and member_id <> new.id and expires_at > now()) then
    raise unique_violation using constraint = 'members_email_key', message = 'the email is reserved';
  end if;
  return new;
end $$;
`;

export const migration: Migration = {
  name: '0026-email-keys',
  locks: {},
  up: [reserved],
  indexes: [
    'create unique index members_email_ascii_key on members (lower(email::text collate "C"))',
    `create index one_time_tokens_address on one_time_tokens (lower(email::text collate "C")) where purpose in ('change', 'undo')`,
  ],
};
