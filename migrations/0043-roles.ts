/** Roles of members, and suspensions (docs/decisions/roles.md). */
import type { Migration } from '../src/platform/database/migration.js';

const columns = `
alter table members
  add column role                 text not null default 'MEMBER',
  add column suspended_since      timestamptz(3),
  -- 'infinity' if the suspension has no end; a time in the past has no effect.
  add column suspended_until      timestamptz(3),
  add column suspension_rule      text,
  add column suspension_statement text;
alter table members
  add constraint members_role_check check (role in ('MEMBER', 'MODERATOR', 'ADMIN')) not valid,
  add constraint members_suspension_check check (
    num_nulls(suspended_since, suspended_until, suspension_rule, suspension_statement) in (0, 4)
    and length(suspension_rule) between 1 and 200 and length(suspension_statement) between 1 and 1000) not valid;
`;

/** The public profile shows the role: the condition is that of 0013-profile-stamps, with the role. */
const stamp = `
drop trigger names_stamped on members;
create trigger names_stamped after update on members for each row
  when ((old.nickname, old.bio, old.profile_image, old.updated_at, old.role) is distinct from
    (new.nickname, new.bio, new.profile_image, new.updated_at, new.role))
  execute function names_stamped();
`;

const suspensions = `
-- The suspension of a member as JSON; null without one, or after its end.
create function suspension_of(since timestamptz, until timestamptz, rule text, statement text) returns json
  language sql stable as $$
  select case when until > now() then
    json_build_object('since', since, 'until', nullif(until, 'infinity'), 'rule', rule, 'statement', statement) end
$$;

-- True, or an error that the service translates: a condition in statements that suspended members must not execute.
create function require_not_suspended(member bigint) returns boolean language plpgsql stable as $$
declare
  suspension json;
begin
  select suspension_of(suspended_since, suspended_until, suspension_rule, suspension_statement) into suspension
  from members where id = member;
  if suspension is not null then
    raise check_violation using constraint = 'member_suspended', message = 'the member is suspended', detail = suspension::text;
  end if;
  return true;
end $$;

-- The streams of API tokens end, as when the tokens are deleted.
create function member_suspended() returns trigger language plpgsql as $$
begin
  perform pg_notify('daybook_sessions', new.id::text);
  return null;
end $$;
create trigger member_suspended after update of suspended_until on members for each row
  when (old.suspended_until is distinct from new.suspended_until) execute function member_suspended();
`;

export const migration: Migration = {
  name: '0043-roles',
  locks: { members: 'access exclusive' },
  up: [columns, stamp, suspensions],
  // Of the few who have one; the admins are locked for a change of roles.
  indexes: ["create index members_with_role on members (id) where role <> 'MEMBER'"],
};
