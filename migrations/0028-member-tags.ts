/** The tags and the categories of a member, as lists of their own. */
import type { Migration } from '../src/platform/database/migration.js';

/** `name` is a copy of `tags.name`, so that one index lists the tags of a member in order. */
const table = `
create table member_tags (
  member_id     bigint not null references members on delete cascade,
  tag_id        bigint not null,
  name          varchar(30) not null,
  article_count integer not null check (article_count >= 0),
  primary key (member_id, tag_id)
) with (fillfactor = 50);
create index member_tags_used on member_tags (member_id, article_count desc, name);
`;

/**
 * Counters, which triggers update in the transaction of the change. The rows of the tags are locked first, by name: every change of a
 * counter holds the lock of its tag. A counter is deleted when it is 0, so that no text of a member outlives their articles.
 */
const counters = `
create function lock_tags(ids bigint[]) returns void language plpgsql as $$
begin
  perform from tags where id = any(ids) order by name for update;
end $$;

create function remove_member_tags(of_member bigint, ids bigint[]) returns void language plpgsql as $$
begin
  update member_tags set article_count = article_count - 1 where member_id = of_member and tag_id = any(ids);
  delete from member_tags where member_id = of_member and tag_id = any(ids) and article_count = 0;
end $$;

create function member_tags_inserted() returns trigger language plpgsql as $$
begin
  insert into member_tags as m (member_id, tag_id, name, article_count)
  select a.member_id, t.id, t.name, count(*) from inserted x join articles a on a.id = x.article_id join tags t on t.id = x.tag_id
  group by a.member_id, t.id order by a.member_id, t.name
  on conflict (member_id, tag_id) do update set article_count = m.article_count + excluded.article_count;
  return null;
end $$;
create trigger member_tags_inserted after insert on article_tags
  referencing new table as inserted for each statement execute function member_tags_inserted();

-- The name of the trigger comes before "article_tags_removed", which deletes unused tags. The tags of a deleted article have been removed
-- by article_untagged.
create function article_tags_left() returns trigger language plpgsql as $$
declare
  one record;
begin
  for one in
    select a.id, a.member_id, array_agg(x.tag_id) as ids from removed x join articles a on a.id = x.article_id group by a.id
  loop
    perform lock_tags(one.ids);
    perform remove_member_tags(one.member_id, one.ids);
  end loop;
  return null;
end $$;
create trigger article_tags_left after delete on article_tags
  referencing old table as removed for each statement execute function article_tags_left();

create function article_untagged() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from article_tags where article_id = old.id);
begin
  -- The counters of a withdrawn member are deleted with the member.
  if cardinality(ids) = 0 or not exists (select from members where id = old.member_id) then return old; end if;
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids);
  return old;
end $$;
create trigger article_untagged before delete on articles for each row execute function article_untagged();

create function article_tags_given() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from article_tags where article_id = new.id);
begin
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids);
  insert into member_tags as m (member_id, tag_id, name, article_count)
  select new.member_id, id, name, 1 from tags where id = any(ids)
  on conflict (member_id, tag_id) do update set article_count = m.article_count + 1;
  return null;
end $$;
create trigger article_tags_given after update of member_id on articles
  for each row when (old.member_id <> new.member_id) execute function article_tags_given();

-- The application never renames a tag; this keeps the copies correct if it is done manually.
create function tag_renamed() returns trigger language plpgsql as $$
begin
  update member_tags set name = new.name where tag_id = new.id;
  return null;
end $$;
create trigger tag_renamed after update of name on tags
  for each row when (old.name <> new.name) execute function tag_renamed();

insert into member_tags (member_id, tag_id, name, article_count)
select a.member_id, t.id, t.name, count(*) from article_tags x join articles a on a.id = x.article_id join tags t on t.id = x.tag_id
group by a.member_id, t.id;
`;

/** Categories are shown without articles too. The default category is created and deleted with its member. */
const categories = `
create trigger categories_stamped_on_insert after insert on categories
  for each row when (not new.is_default) execute function journal_stamped('articles');
create trigger categories_stamped_on_delete after delete on categories
  for each row when (not old.is_default) execute function journal_stamped('articles');
`;

export const migration: Migration = {
  name: '0028-member-tags',
  locks: {
    article_tags: 'share row exclusive',
    articles: 'share row exclusive',
    tags: 'share row exclusive',
    categories: 'share row exclusive',
    members: 'share row exclusive',
  },
  up: [table, counters, categories],
};
