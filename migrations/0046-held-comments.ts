/**
 * Comments that wait for approval, in a table of their own: what reads `comments`, its counters and its stamps does not know them
 * (docs/decisions/comment-approval.md).
 */
import type { Migration } from '../src/platform/database/migration.js';

/**
 * The columns of `comments` follow the own ones, with the same names and in the same order: a column that is added to `comments` later has to be
 * added here, and the view created again with the same text. The ids are those of `comments`.
 */
const tables = `
create table held_comments (
  held_at    timestamptz(3) not null default now(),
  -- From 0 to 1; null if there was no model.
  spam_score real,
  like comments including defaults
);
alter table held_comments
  alter column member_id set not null,
  add primary key (id),
  add constraint held_comments_article_id_fkey foreign key (article_id) references all_articles on delete cascade,
  add constraint held_comments_member_id_fkey foreign key (member_id) references members on delete cascade,
  add check (length(content) >= 1 and deleted_at is null);
create index held_comments_member on held_comments (member_id, created_at desc, id desc);
create index held_comments_received on held_comments (received_by, created_at desc, id desc) where received_by is not null;
create index held_comments_article on held_comments (article_id);
create index held_comments_replies on held_comments (parent_id) where parent_id is not null;
create index held_comments_newest on held_comments (held_at, id);

create view all_comments as
  select null::timestamptz(3) as held_at, null::real as spam_score, c.* from comments c
  union all select * from held_comments;
`;

const triggers = `
-- A held reply ends with the comment that it replies to, but not while that one is held itself.
create function held_replies_ended() returns trigger language plpgsql as $$
begin
  delete from held_comments h using removed r
  where h.parent_id = r.id and not exists (select from held_comments p where p.id = r.id);
  return null;
end $$;
create trigger held_replies_ended after delete on comments
  referencing old table as removed for each statement execute function held_replies_ended();

create function held_replies_of_emptied_ended() returns trigger language plpgsql as $$
begin
  delete from held_comments h where h.parent_id = new.id and not exists (select from held_comments p where p.id = new.id);
  return null;
end $$;
create trigger held_replies_of_emptied_ended after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function held_replies_of_emptied_ended();

-- Approved or rejected. The place of a comment with replies is shown in another way if it was rejected.
create function held_comment_ended() returns trigger language plpgsql as $$
begin
  if exists (select from comments where id = old.id and deleted_at is null) then return null; end if;
  delete from held_comments where parent_id = old.id;
  update all_articles set discussed_at = clock_timestamp()
  where id = old.article_id and exists (select from comments where id = old.id);
  return null;
end $$;
create trigger held_comment_ended after delete on held_comments for each row execute function held_comment_ended();

-- The reverse of comment_emptied, comment_emptied_for_members and comment_stamped, which lock in the same order. By its name before
-- comment_reworded, and like that trigger after comment_received.
create function comment_restored() returns trigger language plpgsql as $$
begin
  update all_articles set comment_count = comment_count + 1 where id = new.article_id;
  perform from member_counts where member_id in (new.member_id, new.received_by) order by member_id for no key update;
  update member_counts
  set comments = comments + coalesce(member_id = new.member_id, false)::int,
      received = received + coalesce(member_id = new.received_by, false)::int
  where member_id in (new.member_id, new.received_by);
  if exists (select from all_articles where id = new.article_id and not is_private) then perform stamp_journal('comments'); end if;
  return null;
end $$;
create trigger comment_restored after update of deleted_at on comments
  for each row when (old.deleted_at is not null and new.deleted_at is null) execute function comment_restored();

create function held_comments_given() returns trigger language plpgsql as $$
begin
  update held_comments set received_by = nullif(new.member_id, member_id) where article_id = new.id;
  return null;
end $$;
create trigger held_comments_given after update of member_id on all_articles
  for each row when (old.member_id <> new.member_id) execute function held_comments_given();
`;

export const migration: Migration = {
  name: '0046-held-comments',
  locks: {
    comments: 'share row exclusive',
    all_articles: 'share row exclusive',
    members: 'share row exclusive',
  },
  up: [tables, triggers],
};
