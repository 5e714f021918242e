/** A function in place of the same condition of eleven statements. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0005-access',
  locks: {},
  up: [
    `
-- Whether a session or an API token still permits a change: it may end, and its member be suspended, while the request waits. Null: no request.
-- Fails with member_suspended. In PL/pgSQL, since it plans its statement once in a connection.
create function has_access(credential uuid) returns boolean language plpgsql stable as $$
begin
  return credential is null or coalesce(
    (select require_not_suspended(member_id) from sessions where id = credential and expires_at > now()),
    (select require_not_suspended(member_id) from api_tokens where id = credential and coalesce(expires_at > now(), true)),
    false);
end $$;
`,
  ],
};
