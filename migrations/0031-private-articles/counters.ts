/**
 * Counters of public rows keep their names, since everyone sees them; those of private rows are new. A tag exists as long as an article has it,
 * and counts in `tag_totals` while a public one has it.
 */
export const counters = `
alter table tags add column private_count integer not null default 0 check (private_count >= 0);
alter table member_tags add column private_count integer not null default 0 check (private_count >= 0);
alter table member_counts add column private_articles integer not null default 0 check (private_articles >= 0);

create function count_public_articles(added bigint) returns void language sql as $$
  insert into article_totals as t (shard, articles) values (pg_backend_pid() % 16, added)
  on conflict (shard) do update set articles = t.articles + excluded.articles
$$;

create or replace function articles_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
  visible bigint := (select count(*) from changed where not is_private);
begin
  if not exists (select from changed) then return null; end if;
  update member_counts c
  set articles = c.articles + sign * n.visible, private_articles = c.private_articles + sign * n.private
  from (select member_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from changed group by 1) n
  where c.member_id = n.member_id;
  if visible > 0 then perform count_public_articles(sign * visible); end if;
  return null;
end $$;

create or replace function article_given() returns trigger language plpgsql as $$
declare
  visible integer := (not old.is_private)::integer;
begin
  update member_counts
  set articles = articles + case member_id when new.member_id then visible else -visible end,
      private_articles = private_articles + case member_id when new.member_id then 1 - visible else visible - 1 end
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

drop trigger tag_added on tags;
drop trigger tag_removed on tags;
create or replace function tag_counted() returns trigger language plpgsql as $$
begin
  insert into tag_totals as t (shard, tags)
  values (pg_backend_pid() % 16, case when tg_op = 'UPDATE' and new.article_count > 0 then 1 else -1 end)
  on conflict (shard) do update set tags = t.tags + excluded.tags;
  return null;
end $$;
create constraint trigger tag_counted after update of article_count on tags
  deferrable initially deferred for each row when ((old.article_count = 0) <> (new.article_count = 0))
  execute function tag_counted();
create constraint trigger tag_removed after delete on tags
  deferrable initially deferred for each row when (old.article_count > 0) execute function tag_counted();

create or replace function article_tags_inserted() returns trigger language plpgsql as $$
begin
  update tags t set article_count = t.article_count + n.visible, private_count = t.private_count + n.private
  from (select tag_id, count(*) filter (where not is_private) as visible, count(*) filter (where is_private) as private
        from inserted group by 1) n
  where t.id = n.tag_id;
  return null;
end $$;

create or replace function article_tags_removed() returns trigger language plpgsql as $$
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

create function add_member_tags(of_member bigint, ids bigint[], of_private boolean) returns void language sql as $$
  insert into member_tags as m (member_id, tag_id, name, article_count, private_count)
  select of_member, id, name, (not of_private)::integer, of_private::integer from tags where id = any(ids) order by name
  on conflict (member_id, tag_id) do update
    set article_count = m.article_count + excluded.article_count, private_count = m.private_count + excluded.private_count
$$;

drop function remove_member_tags(bigint, bigint[]);
create function remove_member_tags(of_member bigint, ids bigint[], of_private boolean) returns void language sql as $$
  update member_tags
  set article_count = article_count - (not of_private)::integer, private_count = private_count - of_private::integer
  where member_id = of_member and tag_id = any(ids);
  delete from member_tags where member_id = of_member and tag_id = any(ids) and article_count = 0 and private_count = 0
$$;

create or replace function member_tags_inserted() returns trigger language plpgsql as $$
begin
  insert into member_tags as m (member_id, tag_id, name, article_count, private_count)
  select a.member_id, t.id, t.name, count(*) filter (where not x.is_private), count(*) filter (where x.is_private)
  from inserted x join all_articles a on a.id = x.article_id join tags t on t.id = x.tag_id
  group by a.member_id, t.id order by a.member_id, t.name
  on conflict (member_id, tag_id) do update
    set article_count = m.article_count + excluded.article_count, private_count = m.private_count + excluded.private_count;
  return null;
end $$;

create or replace function article_tags_left() returns trigger language plpgsql as $$
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

create or replace function article_untagged() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from all_article_tags where article_id = old.id);
begin
  -- The counters of a withdrawn member are deleted with the member.
  if cardinality(ids) = 0 or not exists (select from members where id = old.member_id) then return old; end if;
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids, old.is_private);
  return old;
end $$;

create or replace function article_tags_given() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select tag_id from all_article_tags where article_id = new.id);
begin
  perform lock_tags(ids);
  perform remove_member_tags(old.member_id, ids, old.is_private);
  perform add_member_tags(new.member_id, ids, old.is_private);
  return null;
end $$;

-- Locks are taken in the order of an insertion: counters of the member, total, tags by name. The notifications of others end with the visibility.
create function article_visibility_changed() returns trigger language plpgsql as $$
declare
  added integer := case when new.is_private then -1 else 1 end;
  ids bigint[] := array(select tag_id from all_article_tags where article_id = new.id);
begin
  update member_counts set articles = articles + added, private_articles = private_articles - added
  where member_id = new.member_id;
  perform count_public_articles(added);
  perform lock_tags(ids);
  update tags set article_count = article_count + added, private_count = private_count - added where id = any(ids);
  update member_tags set article_count = article_count + added, private_count = private_count - added
  where member_id = new.member_id and tag_id = any(ids);
  update all_article_tags set is_private = new.is_private where article_id = new.id;
  if new.is_private then delete from notifications where article_id = new.id and member_id <> new.member_id; end if;
  return null;
end $$;
-- A comment whose statement waited for a change to private has notified members by what it read before. Its own triggers have locked the
-- article, so that this one reads the current state.
create or replace function notifications_announced() returns trigger language plpgsql as $$
begin
  delete from notifications n using inserted i join all_articles a on a.id = i.article_id
  where n.id = i.id and a.is_private and a.member_id <> n.member_id;
  perform pg_notify('daybook_notifications', member_id::text) from (select distinct member_id from inserted) n;
  return null;
end $$;

-- By its name after article_given and article_tags_given, which move the counters of the previous visibility.
create trigger article_visibility_changed after update of is_private on all_articles
  for each row when (old.is_private <> new.is_private) execute function article_visibility_changed();
`;
