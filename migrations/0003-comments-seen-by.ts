/** What a reader sees of a comment, in one place. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0003-comments-seen-by',
  locks: {},
  up: [
    `
-- Moderators and admins who are not suspended.
create view acting_moderators as
  select id from members where role <> 'MEMBER' and coalesce(suspended_until <= now(), true);

-- What a reader sees of a comment that others do not, and the reverse. Blocks must not be an escape from moderation: moderators see what they hide.
create function sight_of_comment(author bigint, receiver bigint, r reader) returns table (sees_removed boolean, sees_hidden boolean, is_blocked boolean)
language sql stable rows 1 as $$
  select
    coalesce(r.viewer_id = author, false)
      or coalesce((select true from acting_moderators o where o.id = r.moderator_id), false),
    (r.viewer_id in (author, receiver)) is true,
    r.viewer_id > 0
      and (
        select true from blocks b
        where least(b.member_id, b.blocked_id) = least(r.viewer_id, author)
          and greatest(b.member_id, b.blocked_id) = greatest(r.viewer_id, author) limit 1
      ) is not null
      and not coalesce((select true from acting_moderators o where o.id = r.viewer_id), false)
$$;

-- The author of a comment as everyone sees them: the id is 0 if they withdrew or the comment was deleted. A deleted comment with the place of one that is
-- held says so.
create function author_of_comment(author bigint, is_deleted boolean, is_place_of_held boolean) returns table (id bigint, name varchar)
language sql stable rows 1 as $$
  select
    case when author in (select w.id from withdrawn_members w) then 0 else coalesce(author, 0) end,
    case
      when is_place_of_held then '(held)'
      when is_deleted then '(deleted)'
      else coalesce((select m.nickname from members m where m.id = author), '(withdrawn)')
    end
$$;

-- A comment as a reader sees it: what is deleted, held, removed, hidden or blocked is masked here. PostgreSQL inlines the function and evaluates only the
-- columns that a statement selects. For everyone, the reader is (0,0,0,0).
create function comment_seen_by(c comments, r reader) returns table (
  content varchar, member_id bigint, author_name varchar, is_hidden boolean, is_held boolean, is_removed boolean
) language sql stable rows 1 as $$
  select
    comment_content(
      content => c.content,
      is_deleted => c.deleted_at is not null,
      is_place_of_held => h.is_place,
      is_removed => c.removed_at is not null,
      sees_removed => x.sees_removed,
      is_hidden => c.is_hidden,
      sees_hidden => x.sees_hidden,
      is_blocked => x.is_blocked),
    m.id,
    m.name,
    c.is_hidden and c.deleted_at is null,
    h.is_place,
    c.removed_at is not null and c.deleted_at is null
  from (select c.deleted_at is not null and exists (select from held_comments p where p.id = c.id) as is_place) h
    cross join lateral sight_of_comment(c.member_id, c.received_by, r) x
    cross join lateral author_of_comment(c.member_id, c.deleted_at is not null, h.is_place) m
$$;

-- The article of a comment that a reader may see there: one that the reader reads, or one that a moderator has removed, of which moderators see the
-- comments that were last changed before it became private.
create function article_of_comment(article bigint, changed timestamptz, r reader) returns setof all_articles language sql stable rows 1 as $$
  select a.* from all_articles a
  where a.id = article and (
    can_read(a.is_private, a.member_id, r)
    or changed <= a.private_at and a.removed_at is not null and a.private_revision is not null
      and coalesce((select true from acting_moderators o where o.id = r.moderator_id), false)
  )
$$;

-- The same of a row of all_comments: one that is held, or the former.
create function comment_seen_by(c all_comments, r reader) returns table (
  content varchar, member_id bigint, author_name varchar, is_hidden boolean, is_held boolean, is_removed boolean
) language sql stable rows 1 as $$
  select
    comment_content(
      content => c.content,
      is_deleted => c.deleted_at is not null,
      is_place_of_held => h.is_place,
      is_removed => c.removed_at is not null,
      sees_removed => x.sees_removed,
      is_hidden => c.is_hidden,
      sees_hidden => x.sees_hidden,
      is_blocked => x.is_blocked),
    m.id,
    m.name,
    c.is_hidden and c.deleted_at is null,
    c.held_at is not null,
    c.removed_at is not null and c.deleted_at is null
  from (select c.deleted_at is not null and exists (select from held_comments p where p.id = c.id) as is_place) h
    cross join lateral sight_of_comment(c.member_id, c.received_by, r) x
    cross join lateral author_of_comment(c.member_id, c.deleted_at is not null, h.is_place) m
$$;
`,
  ],
};
