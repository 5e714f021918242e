/** Indexes for every order of lists, and totals that triggers update in the transaction of the change. */
import type { Migration } from '../src/platform/database/migration.js';

const articles = `
alter table articles add column excerpt varchar(200);
-- Case-insensitive order by code point, which updates of the operating system's locales cannot change.
alter table articles add column title_key text collate "C" generated always as (lower(title)) stored;
create index articles_created on articles (created_at, id);
create index articles_updated on articles (updated_at, id);
create index articles_title on articles (title_key, id);
create index articles_comments on articles (comment_count, id);
drop index articles_member, articles_category;
create index articles_member on articles (member_id, created_at, id);
create index articles_category on articles (category_id, created_at, id);
-- To look up whether an image is referenced.
create index articles_image on articles (image) where image is not null;
create index members_image on members (profile_image) where profile_image is not null;

-- A copy of articles.created_at, so that an index-only scan lists a tag's articles in order. It never changes.
alter table article_tags add column created_at timestamptz(3) not null;
create index article_tags_created on article_tags (tag_id, created_at, article_id);
create function article_tag_dated() returns trigger language plpgsql as $$
begin
  select created_at into new.created_at from articles where id = new.article_id;
  return new;
end $$;
create trigger article_tag_dated before insert on article_tags for each row execute function article_tag_dated();

alter table tags add column article_count integer not null default 0 check (article_count >= 0);
create index tags_used on tags (article_count desc, name) where article_count > 0;
`;

const comments = `
-- The member who received the comment: the article's author, unless they wrote it themselves or it was deleted.
alter table comments add column received_by bigint;
create index comments_received on comments (received_by, created_at desc, id desc) where received_by is not null;
create function comment_received() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    select nullif(a.member_id, new.member_id) into new.received_by from articles a where a.id = new.article_id;
  else
    new.received_by := null;
  end if;
  return new;
end $$;
create trigger comment_received before insert or update of deleted_at on comments
  for each row execute function comment_received();
`;

/**
 * Counters in separate tables, since a counter in members would cause a new version of the member's row with each comment.
 * The number of all articles is the sum of sixteen rows (shards), so that concurrent writers do not wait for one row lock. Locks are
 * taken in the order article, member_counts by id, article_totals; a connection always uses the same row of article_totals.
 */
const counters = `
create table member_counts (
  member_id bigint primary key references members on delete cascade,
  articles  integer not null default 0 check (articles >= 0),
  comments  integer not null default 0 check (comments >= 0),
  received  integer not null default 0 check (received >= 0)
) with (fillfactor = 50);
insert into member_counts (member_id) select id from members;
create table article_totals (shard smallint primary key, articles bigint not null) with (fillfactor = 50);

create function members_inserted() returns trigger language plpgsql as $$
begin
  insert into member_counts (member_id) select id from inserted;
  return null;
end $$;
create trigger members_inserted after insert on members
  referencing new table as inserted for each statement execute function members_inserted();

create function articles_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if not exists (select from changed) then return null; end if;
  update member_counts c set articles = c.articles + sign * n.articles
  from (select member_id, count(*) as articles from changed group by 1) n where c.member_id = n.member_id;
  insert into article_totals as t (shard, articles) select pg_backend_pid() % 16, sign * count(*) from changed
  on conflict (shard) do update set articles = t.articles + excluded.articles;
  return null;
end $$;
create trigger articles_inserted after insert on articles
  referencing new table as changed for each statement execute function articles_counted();
create trigger articles_removed after delete on articles
  referencing old table as changed for each statement execute function articles_counted();

-- The application never changes the author of an article; this keeps the counters correct if it is done manually.
create function article_given() returns trigger language plpgsql as $$
begin
  update member_counts set articles = articles + case member_id when new.member_id then 1 else -1 end
  where member_id in (old.member_id, new.member_id);
  update member_counts c set received = c.received - n.comments
  from (select received_by, count(*) as comments from comments where article_id = new.id group by 1) n
  where c.member_id = n.received_by;
  update comments set received_by = nullif(new.member_id, member_id) where article_id = new.id and deleted_at is null;
  update member_counts c set received = c.received + n.comments
  from (select received_by, count(*) as comments from comments where article_id = new.id group by 1) n
  where c.member_id = n.received_by;
  return null;
end $$;
create trigger article_given after update of member_id on articles
  for each row when (old.member_id <> new.member_id) execute function article_given();

create function comments_counted_for_members() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform from member_counts
  where member_id in (select member_id from changed union select received_by from changed)
  order by member_id for no key update;
  update member_counts c set comments = c.comments + sign * n.comments, received = c.received + sign * n.received
  from (select id, count(*) filter (where wrote) as comments, count(*) filter (where not wrote) as received
        from (select member_id as id, true as wrote from changed union all select received_by, false from changed) x
        where id is not null group by 1) n
  where c.member_id = n.id;
  return null;
end $$;
create trigger comments_inserted_for_members after insert on comments
  referencing new table as changed for each statement execute function comments_counted_for_members();
create trigger comments_removed_for_members after delete on comments
  referencing old table as changed for each statement execute function comments_counted_for_members();

create function comment_emptied_for_members() returns trigger language plpgsql as $$
begin
  perform from member_counts where member_id in (old.member_id, old.received_by) order by member_id for no key update;
  update member_counts
  set comments = comments - coalesce(member_id = old.member_id, false)::int,
      received = received - coalesce(member_id = old.received_by, false)::int
  where member_id in (old.member_id, old.received_by);
  return null;
end $$;
create trigger comment_emptied_for_members after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function comment_emptied_for_members();
`;

/** A tag is deleted with its last use: text by a member must not outlive the article in the list of tags. */
const tags = `
create function article_tags_inserted() returns trigger language plpgsql as $$
begin
  update tags t set article_count = t.article_count + n.articles
  from (select tag_id, count(*) as articles from inserted group by 1) n where t.id = n.tag_id;
  return null;
end $$;
create trigger article_tags_inserted after insert on article_tags
  referencing new table as inserted for each statement execute function article_tags_inserted();

create function article_tags_removed() returns trigger language plpgsql as $$
begin
  if not exists (select from removed) then return null; end if;
  perform from tags where id in (select tag_id from removed) order by name for update;
  update tags t set article_count = t.article_count - n.articles
  from (select tag_id, count(*) as articles from removed group by 1) n where t.id = n.tag_id;
  delete from tags where id in (select tag_id from removed) and article_count = 0;
  return null;
end $$;
create trigger article_tags_removed after delete on article_tags
  referencing old table as removed for each statement execute function article_tags_removed();
`;

export const migration: Migration = {
  name: '0003-journal-lists',
  locks: {
    comments: 'access exclusive',
    article_tags: 'access exclusive',
    tags: 'access exclusive',
    articles: 'access exclusive',
    members: 'share row exclusive',
  },
  up: [articles, comments, counters, tags],
};
