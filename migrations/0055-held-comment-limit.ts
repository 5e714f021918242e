/** The comments of one member that wait for approval at the same time are limited (docs/decisions/comment-approval.md). */
import { HELD_COMMENT_LOCKS } from '../src/platform/database/locks.js';
import type { Migration } from '../src/platform/database/migration.js';

const limits = `
-- True, or an error that the service translates, before a comment is held. In a function, since its statements see what was committed before each of
-- them, and so before the lock.
create function require_few_held(member bigint, author bigint, most integer, most_of_author integer) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(${HELD_COMMENT_LOCKS}, hashint8(member));
  if (select count(*) >= most or count(*) filter (where received_by = author) >= most_of_author from held_comments where member_id = member) then
    raise exception 'too many comments of the member wait for approval' using errcode = 'check_violation', constraint = 'held_comments_limit';
  end if;
  return true;
end $$;
`;

export const migration: Migration = {
  name: '0055-held-comment-limit',
  locks: {},
  up: [limits],
};
