-- The feed of changes: what an anonymous reader can see, in an order that can be followed without a gap (docs/decisions/changes.md).
--
-- Triggers only add the type and the id of what changed to `change_log`: they lock no row that another transaction could wait for. Every second,
-- `number_changes` takes what was committed, reads each object in the same statement, and gives its place in the feed the next number. So numbers
-- become visible in their order, whatever the order of the commits, and a transaction that is open for an hour delays only its own changes.

-- What may have changed, and has no number yet.
create table change_log (
  id         bigint generated always as identity primary key,
  type       text not null,
  object_id  bigint not null,
  -- Of a comment, which can be deleted when the row is read.
  article_id bigint,
  parent_id  bigint,
  -- `added` to what is public; `changed`; `switched`: an article became public or private; `ended`: a comment was deleted while its article was not public.
  event      text not null check (event in ('added', 'changed', 'switched', 'ended')),
  logged_at  timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0);

-- Each object that is or was public has one row, with at most two places in the feed. Numbers of objects are even.
create table changes (
  type            text not null check (type in ('member', 'category', 'article', 'series', 'comment')),
  id              bigint not null,
  -- Of a comment.
  article_id      bigint,
  parent_id       bigint,
  -- Of an article, as it was last public: its removal names it.
  slug            varchar(100),
  -- The first place, which stays. Null for a comment that existed when its article became visible again: `comments_number` stands for it.
  created_number  bigint,
  created_at      timestamptz(3),
  -- The last change, whose place moves to the end of the feed; null before the first one.
  number          bigint,
  changed_at      timestamptz(3),
  is_removed      boolean not null default false,
  -- Of an article that became visible again: the place, with an odd number, from which its comments are read. Earlier places of its comments are void.
  comments_number bigint,
  comments_at     timestamptz(3),
  -- Whether comments were deleted while the article was not public: that place then begins with the removal of the article, for readers who have them.
  lost_comments   boolean not null default false,
  primary key (type, id)
) with (fillfactor = 80);
create unique index changes_created on changes (type, created_number) where created_number is not null and not is_removed;
create unique index changes_latest on changes (type, number) where number is not null;
create unique index changes_comments on changes (comments_number) where comments_number is not null and not is_removed;
create index changes_removed on changes (changed_at, type, id) where is_removed;

create function new_generation() returns text language sql volatile as $$
  select upper(right(gen_random_uuid()::text, 12))
$$;

-- The state of the feed.
create table change_feed (
  is_only    boolean primary key default true check (is_only),
  -- Cursors of another generation have expired.
  generation text not null default '000000000000',
  -- The highest number in the feed.
  highest    bigint not null default 0,
  -- The highest number of a removal that was deleted.
  expired    bigint not null default 0,
  -- Of a feed that is filled from an existing journal: what is added to the log next. Null when all is in the log.
  fill_type  text,
  fill_after bigint not null default 0,
  -- Whether all of it is in the feed too.
  is_ready   boolean not null default true
);
insert into change_feed (generation) values (new_generation());

-- What is logged. The arguments of the trigger are the type and the event.
create function change_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, event)
  values (tg_argv[0], case tg_op when 'DELETE' then old.id else new.id end, tg_argv[1]);
  return null;
end $$;

create trigger change_logged_on_insert after insert on members
  for each row when (new.pending_since is null or new.email_verified_at is not null) execute function change_logged('member', 'added');
create trigger change_logged_on_delete after delete on members for each row execute function change_logged('member', 'changed');
create trigger change_logged after update on members for each row
  when ((old.nickname, old.bio, old.profile_image, old.profile_image_side, old.role, old.created_at)
    is distinct from (new.nickname, new.bio, new.profile_image, new.profile_image_side, new.role, new.created_at))
  execute function change_logged('member', 'changed');

-- The first login after a registration, or the confirmation of its address, makes the profile and the category of the member public.
create function confirmation_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, event)
  select 'member', new.id, 'changed' union all select 'category', id, 'changed' from categories where member_id = new.id;
  return null;
end $$;
create trigger confirmation_logged after update of pending_since, email_verified_at on members for each row
  when ((old.pending_since is not null and old.email_verified_at is null) <> (new.pending_since is not null and new.email_verified_at is null))
  execute function confirmation_logged();

create trigger change_logged_on_insert after insert on categories for each row execute function change_logged('category', 'added');
create trigger change_logged_on_delete after delete on categories for each row execute function change_logged('category', 'changed');
create trigger change_logged after update on categories for each row when ((old.name, old.member_id) <> (new.name, new.member_id))
  execute function change_logged('category', 'changed');

create trigger change_logged_on_insert after insert on series for each row execute function change_logged('series', 'added');
create trigger change_logged_on_delete after delete on series for each row execute function change_logged('series', 'changed');
create trigger change_logged after update on series for each row
  when ((old.title, old.description, old.member_id) <> (new.title, new.description, new.member_id))
  execute function change_logged('series', 'changed');

-- Of articles, what is or becomes public. Other updates are logged by article_changed (04-articles.sql).
create trigger change_logged_on_insert after insert on all_articles
  for each row when (not new.is_private) execute function change_logged('article', 'added');
create trigger change_logged_on_delete after delete on all_articles
  for each row when (not old.is_private) execute function change_logged('article', 'changed');
create trigger change_logged_on_switch after update of is_private on all_articles
  for each row when (old.is_private <> new.is_private) execute function change_logged('article', 'switched');

-- The names of tags, which only operators change, are part of their articles.
create function tag_name_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, event)
  select 'article', a.id, 'changed' from all_article_tags x join all_articles a on a.id = x.article_id
  where x.tag_id = new.id and not a.is_private;
  return null;
end $$;
create trigger name_logged after update of name on tags for each row when (old.name <> new.name) execute function tag_name_logged();

-- The public articles of a series, and their order.
create function series_of_article_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, event)
  select 'series', id, 'changed'
  from (select old.series_id where not old.is_private union select new.series_id where not new.is_private) s (id) where id is not null;
  return null;
end $$;
create trigger series_of_article_logged after update of series_id, series_position, is_private on all_articles for each row
  when ((old.series_id, old.series_position, old.is_private) is distinct from (new.series_id, new.series_position, new.is_private)
    and num_nonnulls(old.series_id, new.series_id) > 0 and not (old.is_private and new.is_private))
  execute function series_of_article_logged();

create function series_of_new_article_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, event)
  values ('series', case tg_op when 'DELETE' then old.series_id else new.series_id end, 'changed');
  return null;
end $$;
create trigger series_of_new_article_logged after insert on all_articles
  for each row when (new.series_id is not null and not new.is_private) execute function series_of_new_article_logged();
create trigger series_of_deleted_article_logged after delete on all_articles
  for each row when (old.series_id is not null and not old.is_private) execute function series_of_new_article_logged();

-- Comments are logged by comments_stamped and comment_reworded (09-comments.sql). Those of a member who withdraws change without an entry of their own: the
-- removal of the member stands for them.

-- The place of a comment with replies says whether the comment is held or deleted.
create function place_of_held_logged() returns trigger language plpgsql as $$
begin
  insert into change_log (type, object_id, article_id, parent_id, event)
  select 'comment', c.id, c.article_id, c.parent_id, 'changed' from comments c join all_articles a on a.id = c.article_id
  where c.id = case tg_op when 'DELETE' then old.id else new.id end and not a.is_private;
  return null;
end $$;
create trigger held_place_to_feed_on_insert after insert on held_comments for each row execute function place_of_held_logged();
create trigger held_place_to_feed_on_delete after delete on held_comments for each row execute function place_of_held_logged();

-- Gives numbers to at most `most` rows of the log. One transaction at a time does: the first key is CHANGES_LOCK of
-- src/platform/database/locks.ts. Returns the number of rows, or null if another one does it.
create function number_changes(most integer) returns integer language plpgsql
  set enable_seqscan to off set plan_cache_mode to force_custom_plan as $$
declare
  taken integer;
begin
  if not exists (select from change_log) and not exists (select from change_feed where not is_ready) then return 0; end if;
  if not pg_try_advisory_xact_lock(4270012) then return null; end if;
  insert into change_feed select where not exists (select from change_feed);
  if not exists (select from change_log) then perform log_next_of_journal(most); end if;
  -- Every part of this statement sees the same state, that of its beginning. PostgreSQL does not know how many rows its parts have: no condition compares all
  -- rows of one with all of another. The plan is made each time, since one for a small feed would take minutes when the feed has grown.
  with batch as materialized (
    delete from change_log where id = any(array(select id from change_log order by id limit most)) returning *
  ), logged as materialized (
    select type, object_id, min(id) as log_id, max(article_id) as article_id, max(parent_id) as parent_id, bool_or(event = 'added') as is_added,
      bool_or(event = 'switched') as is_switched, bool_or(event = 'ended') as is_ended, bool_and(event = 'ended') as is_only_ended
    from batch group by 1, 2
  ), objects as materialized (
    select type, object_id as id, log_id, article_id, parent_id, is_added, is_switched, is_only_ended from logged
    -- The article of a comment, if its own row of the log is not in this batch: its comments are judged by the state that it has now.
    union all
    select 'article', l.article_id, min(l.log_id), null, null, false, false, false from logged l
    where l.type = 'comment' and l.article_id not in (select object_id from logged where type = 'article')
      and exists (select from all_articles a where a.id = l.article_id and not a.is_private)
        <> exists (select from changes c where c.type = 'article' and c.id = l.article_id and not c.is_removed)
    group by l.article_id
  ), seen as materialized (
    select o.*, c.id is not null as is_known, coalesce(c.is_removed, true) as was_absent,
      case o.type
        when 'article' then exists (select from all_articles a where a.id = o.id and not a.is_private)
        when 'comment' then exists (select from comments m join all_articles a on a.id = m.article_id where m.id = o.id and not a.is_private)
        when 'member' then exists (select from members m where m.id = o.id and (m.pending_since is null or m.email_verified_at is not null))
        when 'category' then exists (
          select from categories k join members m on m.id = k.member_id
          where k.id = o.id and (m.pending_since is null or m.email_verified_at is not null))
        else exists (select from series s where s.id = o.id)
      end as is_visible,
      o.type <> 'comment' or exists (select from all_articles a where a.id = o.article_id and not a.is_private) as is_article_visible,
      (select coalesce(a.comments_number, 0) from changes a where a.type = 'article' and a.id = o.article_id) as comments_number,
      coalesce(c.lost_comments, false)
        or (o.type = 'article' and o.id in (select article_id from logged where type = 'comment' and is_ended)) as lost_comments
    from objects o left join changes c on c.type = o.type and c.id = o.id
  ), numbered as materialized (
    select s.*, f.highest + 2 * row_number() over (order by s.log_id, s.type, s.id) as number
    from seen s cross join change_feed f
    where s.is_visible or (s.is_article_visible and case when s.is_known then not s.was_absent
      -- A comment without a place of its own, for which that of its article stands.
      else s.type = 'comment' and s.comments_number > 0 and not s.is_only_ended end)
  ), placed as (
    insert into changes as c (type, id, article_id, parent_id, slug, created_number, created_at, number, changed_at, is_removed, comments_number,
      comments_at, lost_comments)
    select n.type, n.id, n.article_id, n.parent_id,
      (select a.slug from all_articles a where n.type = 'article' and a.id = n.id and not a.is_private),
      case when p.is_first then n.number end, case when p.is_first then now() end,
      case when not p.is_first then n.number end, case when not p.is_first then now() end, not n.is_visible,
      -- The comments that an article has when it becomes visible.
      case when p.shows_comments then n.number - 1 end, case when p.shows_comments then now() end, n.lost_comments
    from numbered n cross join lateral (
      select n.is_visible and not n.is_known and (n.type <> 'comment' or n.is_added or coalesce(n.comments_number, 0) = 0) as is_first,
        n.type = 'article' and n.is_visible and (n.is_switched or (n.was_absent and not n.is_added))
          and (n.lost_comments or exists (select from comments m where m.article_id = n.id)) as shows_comments
    ) p
    on conflict (type, id) do update set
      number = coalesce(excluded.number, excluded.created_number), changed_at = now(), is_removed = excluded.is_removed,
      slug = coalesce(excluded.slug, c.slug), lost_comments = excluded.lost_comments,
      comments_number = coalesce(excluded.comments_number, c.comments_number), comments_at = coalesce(excluded.comments_at, c.comments_at)
  ), ended as (
    -- The removal of their article stands for them.
    delete from changes c
    where c.type = 'comment' and not c.is_removed and c.id = any(array(
      select s.id from seen s where s.type = 'comment' and not s.is_article_visible and not exists (select from comments m where m.id = s.id)))
  ), marked as (
    update changes c set lost_comments = true
    where c.type = 'article' and not c.lost_comments
      and c.id = any(array(select l.article_id from logged l where l.type = 'comment' and l.is_ended))
      and not exists (select from numbered n where n.type = 'article' and n.id = c.id)
  ), counted as (
    update change_feed f set highest = f.highest + 2 * n.count from (select count(*) as count from numbered) n where n.count > 0
  )
  select count(*) into taken from batch;
  if taken < most then update change_feed set is_ready = true where not is_ready and fill_type is null; end if;
  return taken;
end $$;

-- Adds the next objects of an existing journal to the log. Each call is one batch, so that an interrupted fill continues.
create function log_next_of_journal(most integer) returns void language plpgsql set enable_seqscan to off as $$
declare
  feed change_feed;
  last bigint;
begin
  select * into feed from change_feed;
  while feed.fill_type is not null loop
    with next as (
      select o.* from (
        (select id, null::bigint as article_id, null::bigint as parent_id from members where feed.fill_type = 'member' and id > feed.fill_after
         order by id limit most)
        union all
        (select id, null, null from categories where feed.fill_type = 'category' and id > feed.fill_after order by id limit most)
        union all
        (select id, null, null from all_articles where feed.fill_type = 'article' and id > feed.fill_after order by id limit most)
        union all
        (select id, null, null from series where feed.fill_type = 'series' and id > feed.fill_after order by id limit most)
        union all
        (select id, article_id, parent_id from comments where feed.fill_type = 'comment' and id > feed.fill_after order by id limit most)
      ) o
    ), logged as (
      insert into change_log (type, object_id, article_id, parent_id, event)
      select feed.fill_type, id, article_id, parent_id, 'added' from next order by id
    )
    select max(id) into last from next;
    if last is not null then
      update change_feed set fill_type = feed.fill_type, fill_after = last;
      return;
    end if;
    feed.fill_type := case feed.fill_type when 'member' then 'category' when 'category' then 'article' when 'article' then 'series'
      when 'series' then 'comment' end;
    feed.fill_after := 0;
    update change_feed set fill_type = feed.fill_type, fill_after = 0;
  end loop;
end $$;

-- Ends all cursors, and fills the feed again. For `daybook changes reset`.
create function reset_changes() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(4270012);
  insert into change_feed select where not exists (select from change_feed);
  delete from changes;
  update change_feed set generation = new_generation(), highest = 0, expired = 0, fill_type = 'member', fill_after = 0, is_ready = false;
end $$;

-- Deletes removals that are older than the retention: cursors from before them have expired. Returns their number.
create function delete_old_removals(retention interval, most integer) returns integer language plpgsql set enable_seqscan to off as $$
declare
  deleted integer;
begin
  perform pg_advisory_xact_lock(4270012);
  with old as materialized (
    delete from changes c where (c.type, c.id) in (
      select r.type, r.id from changes r where r.is_removed and r.changed_at < now() - retention order by r.changed_at, r.type, r.id limit most)
    returning c.number
  ), feed as (
    update change_feed f set expired = greatest(f.expired, o.number) from (select max(number) as number from old) o where o.number is not null
  )
  select count(*) into deleted from old;
  return deleted;
end $$;
