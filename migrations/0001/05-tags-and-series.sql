-- What groups articles: tags, series with an order, and translations.

-- A tag exists as long as an article has it. It counts in `tag_totals` while a public one has it.
create table tags (
  id            bigint generated always as identity primary key,
  name          varchar(30) not null unique check (length(name) >= 1),
  -- Of public articles, and of private ones.
  article_count integer not null default 0 check (article_count >= 0),
  private_count integer not null default 0 check (private_count >= 0)
);
create index tags_used on tags (article_count desc, name) where article_count > 0;
create trigger names_stamped after update of name on tags
  for each row when (old.name <> new.name) execute function names_stamped();

-- The view `article_tags` has those of public articles, as `articles` does. `created_at` and `is_private` are copies of columns of the article,
-- so that an index-only scan lists the articles of a tag in order.
create table all_article_tags (
  article_id bigint not null constraint article_tags_article_id_fkey references all_articles on delete cascade,
  position   smallint not null constraint article_tags_position_check check (position between 0 and 9),
  tag_id     bigint not null constraint article_tags_tag_id_fkey references tags on delete cascade,
  created_at timestamptz(3) not null,
  is_private boolean not null default false,
  constraint article_tags_pkey primary key (article_id, position),
  constraint article_tags_tag_id_article_id_key unique (tag_id, article_id)
);
create view article_tags as select * from all_article_tags where not is_private;
create index article_tags_public_created on all_article_tags (tag_id, created_at, article_id) where not is_private;

create function article_tag_dated() returns trigger language plpgsql as $$
begin
  select created_at, is_private into new.created_at, new.is_private from all_articles where id = new.article_id;
  return new;
end $$;
create trigger article_tag_dated before insert on all_article_tags for each row execute function article_tag_dated();

create function article_tags_dated() returns trigger language plpgsql as $$
begin
  update all_article_tags set created_at = new.created_at where article_id = new.id;
  return null;
end $$;
create trigger article_tags_dated after update of created_at on all_articles
  for each row when (old.created_at <> new.created_at) execute function article_tags_dated();

create function article_tags_stamped() returns trigger language plpgsql as $$
begin
  update all_articles set revised_at = clock_timestamp() where id in (select article_id from changed);
  return null;
end $$;
create trigger article_tags_stamped_on_insert after insert on all_article_tags
  referencing new table as changed for each statement execute function article_tags_stamped();
create trigger article_tags_stamped_on_update after update on all_article_tags
  referencing new table as changed for each statement execute function article_tags_stamped();
create trigger article_tags_stamped_on_delete after delete on all_article_tags
  referencing old table as changed for each statement execute function article_tags_stamped();

-- Numbers of articles by tag.

create function article_tags_inserted() returns trigger language plpgsql as $$
begin
  update tags t set article_count = t.article_count + n.visible, private_count = t.private_count + n.private
  from (select tag_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from inserted group by 1) n
  where t.id = n.tag_id;
  return null;
end $$;
create trigger article_tags_inserted after insert on all_article_tags
  referencing new table as inserted for each statement execute function article_tags_inserted();

-- A tag is deleted with its last use: text by a member must not outlive the article in the list of tags.
create function article_tags_removed() returns trigger language plpgsql as $$
begin
  if not exists (select from removed) then return null; end if;
  perform from tags where id in (select tag_id from removed) order by name for update;
  update tags t set article_count = t.article_count - n.visible, private_count = t.private_count - n.private
  from (select tag_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from removed group by 1) n
  where t.id = n.tag_id;
  delete from tags where id in (select tag_id from removed) and article_count = 0 and private_count = 0;
  return null;
end $$;
create trigger article_tags_removed after delete on all_article_tags
  referencing old table as removed for each statement execute function article_tags_removed();

-- The number of tags with public articles: a sum over shards (own_shard).
create table tag_totals (shard smallint primary key, tags bigint not null) with (fillfactor = 50);
insert into tag_totals (shard, tags) values (0, 0);

-- The triggers are deferred to the commit: the row of a shard is one of the last locks that a transaction takes.
create function tag_counted() returns trigger language plpgsql as $$
begin
  insert into tag_totals as t (shard, tags)
  values (own_shard(), case when tg_op = 'UPDATE' and new.article_count > 0 then 1 else -1 end)
  on conflict (shard) do update set tags = t.tags + excluded.tags;
  return null;
end $$;
create constraint trigger tag_counted after update of article_count on tags
  deferrable initially deferred for each row when ((old.article_count = 0) <> (new.article_count = 0))
  execute function tag_counted();
create constraint trigger tag_removed after delete on tags
  deferrable initially deferred for each row when (old.article_count > 0) execute function tag_counted();

-- The tags of each member. `name` is a copy of `tags.name`, so that one index lists the tags of a member in order.
create table member_tags (
  member_id     bigint not null references members on delete cascade,
  tag_id        bigint not null,
  name          varchar(30) not null,
  article_count integer not null check (article_count >= 0),
  private_count integer not null default 0 check (private_count >= 0),
  primary key (member_id, tag_id)
) with (fillfactor = 50);
create index member_tags_used on member_tags (member_id, article_count desc, name);

-- The rows of the tags are locked first, by name: every change of a counter holds the lock of its tag.
create function lock_tags(ids bigint[]) returns void language plpgsql as $$
begin
  perform from tags where id = any(ids) order by name for update;
end $$;

-- A change of the visibility locks the tags of the article before counters (docs/decisions/lock-order.md).
create function article_tags_locked() returns trigger language plpgsql as $$
begin
  perform lock_tags(array(select tag_id from all_article_tags where article_id = new.id));
  return new;
end $$;
create trigger article_tags_locked before update of is_private on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_tags_locked();

create function add_member_tags(of_member bigint, ids bigint[], of_private boolean) returns void language sql as $$
  insert into member_tags as m (member_id, tag_id, name, article_count, private_count)
  select of_member, id, name, (not of_private)::integer, of_private::integer from tags where id = any(ids) order by name
  on conflict (member_id, tag_id) do update
    set article_count = m.article_count + excluded.article_count, private_count = m.private_count + excluded.private_count
$$;

-- A counter is deleted when it is 0, so that no text of a member outlives their articles.
create function remove_member_tags(of_member bigint, ids bigint[], of_private boolean) returns void language sql as $$
  update member_tags
  set article_count = article_count - (not of_private)::integer, private_count = private_count - of_private::integer
  where member_id = of_member and tag_id = any(ids);
  delete from member_tags where member_id = of_member and tag_id = any(ids) and article_count = 0 and private_count = 0
$$;

create function member_tags_inserted() returns trigger language plpgsql as $$
begin
  insert into member_tags as m (member_id, tag_id, name, article_count, private_count)
  select a.member_id, t.id, t.name, count(*) filter (where not x.is_private), count(*) filter (where x.is_private)
  from inserted x join all_articles a on a.id = x.article_id join tags t on t.id = x.tag_id
  group by a.member_id, t.id order by a.member_id, t.name
  on conflict (member_id, tag_id) do update
    set article_count = m.article_count + excluded.article_count, private_count = m.private_count + excluded.private_count;
  return null;
end $$;
create trigger member_tags_inserted after insert on all_article_tags
  referencing new table as inserted for each statement execute function member_tags_inserted();

-- The name of the trigger comes before "article_tags_removed", which deletes unused tags. The tags of a deleted article have been removed
-- by article_untagged.
create function article_tags_left() returns trigger language plpgsql as $$
declare
  one record;
begin
  for one in
    select a.id, a.member_id, a.is_private, array_agg(x.tag_id) as ids
    from removed x join all_articles a on a.id = x.article_id group by a.id
  loop
    perform lock_tags(one.ids);
    perform remove_member_tags(one.member_id, one.ids, one.is_private);
  end loop;
  return null;
end $$;
create trigger article_tags_left after delete on all_article_tags
  referencing old table as removed for each statement execute function article_tags_left();

create function article_untagged() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from all_article_tags where article_id = old.id);
begin
  -- The counters of a withdrawn member are deleted with the member.
  if cardinality(ids) = 0 or not exists (select from members where id = old.member_id) then return old; end if;
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids, old.is_private);
  return old;
end $$;
create trigger article_untagged before delete on all_articles for each row execute function article_untagged();

create function article_tags_given() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from all_article_tags where article_id = new.id);
begin
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids, old.is_private);
  perform add_member_tags(new.member_id, ids, old.is_private);
  return null;
end $$;
create trigger article_tags_given after update of member_id on all_articles
  for each row when (old.member_id <> new.member_id) execute function article_tags_given();

-- The application never renames a tag; this keeps the copies correct if it is done manually.
create function tag_renamed() returns trigger language plpgsql as $$
begin
  update member_tags set name = new.name where tag_id = new.id;
  return null;
end $$;
create trigger tag_renamed after update of name on tags
  for each row when (old.name <> new.name) execute function tag_renamed();

-- Series of articles, each with an order that its author sets (docs/decisions/series.md).
create table series (
  id          bigint generated always as identity primary key,
  member_id   bigint not null references members on delete cascade,
  title       varchar(100) not null check (length(title) >= 1),
  description varchar(500) not null default '',
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now(),
  unique (id, member_id)
);
create index series_of_member on series (member_id, updated_at, id);
create trigger series_stamped after insert or update or delete on series
  for each row execute function journal_stamped('counts');

-- The place in a series is in the row of the article, whose update renews its stamps and those of lists, and which every statement of an article
-- reads anyway. The series must belong to the author of the article. That is checked at commit, so that `daybook member claim` can move both.
alter table all_articles add constraint articles_series_fkey foreign key (series_id, member_id) references series (id, member_id)
  deferrable initially deferred;
-- The last column for index-only scans of the public ones.
create index articles_series on all_articles (series_id, series_position, id) include (is_private) where series_id is not null;

-- The articles of a deleted series stay.
create function series_removed() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  update all_articles set series_id = null, series_position = null where series_id = old.id;
  return old;
end $$;
create trigger series_removed before delete on series for each row execute function series_removed();

-- Of the public articles of a series, in their order.
create function public_articles_of_series(of_series bigint) returns bigint[] language sql stable as $$
  select array(select id from all_articles where series_id = of_series and not is_private order by series_position, id)
$$;

-- As its author sees it.
create function series_of_author(of_series bigint) returns json language sql stable as $$
  select json_build_object('id', s.id, 'memberId', s.member_id, 'title', s.title, 'description', s.description,
    'articleCount', cardinality(public_articles_of_series(s.id)),
    'articleIds', array(select a.id from all_articles a where a.series_id = s.id order by a.series_position, a.id),
    'updatedAt', s.updated_at at time zone 'UTC')
  from series s where s.id = of_series
$$;

-- The functions below are called by one statement each. In a function, each statement sees what was committed before it, so that everything is
-- checked under the locks. The first lock is that of the member: writes of series of one member, the withdrawal and `daybook member claim` wait for
-- each other. Then the articles are locked in the order of their ids. The functions return the series, or the key of an error in `failure`, before
-- they change anything.
create function lock_series(of_member bigint, of_series bigint) returns text language plpgsql as $$
declare
  owner bigint;
begin
  perform from members where id = of_member for no key update;
  if not found then return 'UNAUTHENTICATED'; end if;
  if of_series is null then return null; end if;
  select member_id into owner from series where id = of_series;
  return case when owner is null then 'SERIES_NOT_FOUND' when owner <> of_member then 'SERIES_FORBIDDEN' end;
end $$;

-- of_series: null for a new one. listed: null if the list is unchanged, and empty in a new series.
create function save_series(of_member bigint, of_series bigint, new_title text, new_description text, listed bigint[])
returns json language plpgsql set enable_seqscan to off as $$
declare
  failure text := lock_series(of_member, of_series);
  saved bigint := of_series;
  earlier bigint[];
  missing bigint;
begin
  if of_series is null and (select count(*) from series where member_id = of_member) >= 100 then
    failure := coalesce(failure, 'SERIES_LIMIT_REACHED');
  end if;
  if failure is null and listed is not null then
    perform from all_articles where member_id = of_member and (id = any(listed) or series_id = of_series) order by id for no key update;
    select min(l.id) into missing from unnest(listed) l (id)
    where not exists (select from all_articles a where a.id = l.id and a.member_id = of_member);
    if missing is not null then failure := 'ARTICLE_NOT_FOUND'; end if;
  end if;
  if failure is not null then return json_build_object('failure', failure, 'missing', missing); end if;
  if saved is null then
    insert into series (member_id, title, description) values (of_member, new_title, coalesce(new_description, ''))
    returning id into saved;
  end if;
  earlier := public_articles_of_series(saved);
  update all_articles a set series_id = saved, series_position = l.position
  from unnest(listed) with ordinality l (id, position)
  where a.id = l.id and (a.series_id, a.series_position) is distinct from (saved, l.position::integer);
  update all_articles set series_id = null, series_position = null where series_id = saved and id <> all(listed);
  -- The time of the last change is public, and does not show a change of private articles.
  update series set title = new_title, description = coalesce(new_description, description), updated_at = clock_timestamp()
  where id = saved and (title <> new_title or description <> coalesce(new_description, description)
    or earlier <> public_articles_of_series(saved));
  return series_of_author(saved);
end $$;

create function delete_series(of_member bigint, of_series bigint) returns json language plpgsql set enable_seqscan to off as $$
declare
  failure text := lock_series(of_member, of_series);
  found json := series_of_author(of_series);
begin
  if failure is not null then return json_build_object('failure', failure); end if;
  perform from all_articles where series_id = of_series order by id for no key update;
  delete from series where id = of_series;
  return found;
end $$;

-- Articles of one author that are translations of each other, at most one in each language (docs/decisions/translations.md).
create table translation_groups (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references members on delete cascade,
  -- In front matter. An import keeps that of its source.
  key        varchar(200) not null default gen_random_uuid() check (key <> ''),
  -- The stamp of what public articles show of each other as translations; the epoch while nothing is.
  changed_at timestamptz not null default 'epoch',
  unique (id, member_id),
  unique (member_id, key)
);
-- Checked at commit, so that `daybook member claim` can move both.
alter table all_articles add constraint articles_translation_group_fkey foreign key (translation_group_id, member_id)
  references translation_groups (id, member_id) deferrable initially deferred;
create unique index articles_translation_key on all_articles (translation_group_id, language) where translation_group_id is not null;

-- In the order of the ids: an article that moves stamps two groups. Lists show translations too.
create function stamp_translations(ids bigint[]) returns void language plpgsql as $$
begin
  perform from translation_groups where id = any(ids) order by id for no key update;
  update translation_groups set changed_at = stamp_after(changed_at) where id = any(ids);
  if found then perform stamp_journal('articles'); end if;
end $$;

-- A group ends with its last article. Its row is locked first, so that of two articles that leave at once the second one finds none.
create function end_translations(of_group bigint) returns void language plpgsql set enable_seqscan to off as $$
begin
  perform from translation_groups where id = of_group for update;
  delete from translation_groups where id = of_group and not exists (select from all_articles where translation_group_id = of_group);
end $$;

create function article_translation_changed() returns trigger language plpgsql set enable_seqscan to off as $$
declare
  earlier bigint := case when not old.is_private then old.translation_group_id end;
  later bigint := case when not new.is_private then new.translation_group_id end;
begin
  -- The group that another article has begun with this one: nobody sees it before a second one is public.
  if earlier is distinct from later and new.revision = old.revision and new.is_private = old.is_private and not exists (
    select from all_articles where translation_group_id = later and id <> new.id and not is_private) then later := null; end if;
  perform stamp_translations(array[earlier, later]);
  if old.translation_group_id is distinct from new.translation_group_id then perform end_translations(old.translation_group_id); end if;
  return null;
end $$;
create trigger article_translation_changed after update on all_articles for each row
  when (num_nonnulls(old.translation_group_id, new.translation_group_id) > 0
    and (old.translation_group_id, old.language, old.title, old.slug, old.is_private)
      is distinct from (new.translation_group_id, new.language, new.title, new.slug, new.is_private))
  execute function article_translation_changed();

create function article_translation_added() returns trigger language plpgsql as $$
begin
  perform stamp_translations(array[new.translation_group_id]);
  return null;
end $$;
create trigger article_translation_added after insert on all_articles
  for each row when (new.translation_group_id is not null and not new.is_private) execute function article_translation_added();

create function article_translation_removed() returns trigger language plpgsql as $$
begin
  if not old.is_private then perform stamp_translations(array[old.translation_group_id]); end if;
  perform end_translations(old.translation_group_id);
  return null;
end $$;
create trigger article_translation_removed after delete on all_articles
  for each row when (old.translation_group_id is not null) execute function article_translation_removed();
