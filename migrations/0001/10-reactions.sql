-- Reactions (likes), bookmarks and follows, with their counters and stamps (docs/decisions/reactions.md, docs/decisions/lock-order.md).

-- What readers do with an article, in a table of its own: a change of the article's row would renew the stamps of feeds and comments, and write into
-- all of its indexes. The columns from is_private on are copies of what the indexes and the archive need (docs/decisions/discovery.md). Each
-- article has a row.
create table article_counts (
  article_id  bigint primary key references all_articles on delete cascade,
  likes       integer not null default 0 check (likes >= 0),
  views       integer not null default 0 check (views >= 0),
  changed_at  timestamptz not null default clock_timestamp(),
  is_private  boolean not null,
  member_id   bigint not null,
  category_id bigint not null,
  -- In UTC, its first day.
  month       date not null
) with (fillfactor = 50);
-- Public lists by likes and views.
create index article_counts_likes on article_counts (likes, article_id) where not is_private;
create index article_counts_views on article_counts (views, article_id) where not is_private;
create index article_counts_member_likes on article_counts (member_id, likes, article_id) where not is_private;
create index article_counts_member_views on article_counts (member_id, views, article_id) where not is_private;
create index article_counts_category_likes on article_counts (category_id, likes, article_id) where not is_private;
create index article_counts_category_views on article_counts (category_id, views, article_id) where not is_private;
-- Those of private articles, which are merged with them in the lists of an owner: a row is in one of both.
create index article_counts_private_member_likes on article_counts (member_id, likes, article_id) where is_private;
create index article_counts_private_member_views on article_counts (member_id, views, article_id) where is_private;
create index article_counts_private_category_likes on article_counts (category_id, likes, article_id) where is_private;
create index article_counts_private_category_views on article_counts (category_id, views, article_id) where is_private;

create function month_of(moment timestamptz) returns date language sql immutable as $$
  select date_trunc('month', moment at time zone 'UTC')::date
$$;

create function article_counts_added() returns trigger language plpgsql as $$
begin
  insert into article_counts (article_id, is_private, member_id, category_id, month)
  select id, is_private, member_id, category_id, month_of(created_at) from changed order by id;
  return null;
end $$;
-- By its name, as article_visibility_copied, after the triggers that lock counters of members: a deletion locks the numbers of the member's months
-- after these.
create trigger articles_inserted_with_counts after insert on all_articles
  referencing new table as changed for each statement execute function article_counts_added();

create function article_counts_copied() returns trigger language plpgsql as $$
begin
  update article_counts
  set is_private = new.is_private, member_id = new.member_id, category_id = new.category_id, month = month_of(new.created_at)
  where article_id = new.id;
  update article_trends set is_private = new.is_private, member_id = new.member_id, category_id = new.category_id
  where article_id = new.id and (is_private, member_id, category_id) <> (new.is_private, new.member_id, new.category_id);
  return null;
end $$;
create trigger article_visibility_copied after update of is_private, member_id, category_id, created_at on all_articles
  for each row when ((old.is_private, old.member_id, old.category_id, old.created_at)
    is distinct from (new.is_private, new.member_id, new.category_id, new.created_at))
  execute function article_counts_copied();

-- One row for each reaction of a member to an article. Their kinds are those of src/models/reaction-kinds.ts.
create table reactions (
  article_id bigint not null,
  kind       varchar(20) not null constraint reactions_kind_check check (kind in ('LIKE')),
  member_id  bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (article_id, kind, member_id)
);
create index reactions_member on reactions (member_id, created_at, article_id);
-- For the job that computes trends: it reads the likes of a period only.
create index reactions_liked_day on reactions (((created_at at time zone 'UTC')::date), article_id, created_at) where kind = 'LIKE';
create trigger account_exists after insert on reactions
  referencing new table as changed for each statement execute function member_id_required();
create trigger article_exists after insert on reactions
  referencing new table as changed for each statement execute function article_id_required();

-- The column of each kind, here and in the next function.
create function count_reactions(article bigint, of_kind text, added integer) returns void language plpgsql as $$
begin
  update article_counts c
  set likes = c.likes + case of_kind when 'LIKE' then added else 0 end, changed_at = stamp_after(c.changed_at)
  where c.article_id = article;
end $$;

create function counted_reactions(article bigint, of_kind text) returns integer language sql stable as $$
  select case of_kind when 'LIKE' then c.likes end from article_counts c where c.article_id = article
$$;

-- The row of the article is locked before its counters, as by a change of the visibility.
create function reactions_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if not exists (select from changed) then return null; end if;
  -- Waits for a change of the visibility, so that one of the two transactions renews the stamp of lists.
  perform from all_articles where is_private and id in (select article_id from changed) order by id for share;
  perform from article_counts where article_id in (select article_id from changed) order by article_id for no key update;
  perform count_reactions(n.article_id, n.kind, sign * n.added)
  from (select article_id, kind, count(*)::integer as added from changed group by 1, 2) n;
  if tg_op = 'DELETE' then
    delete from notifications n
    where n.type = 'LIKE' and n.article_id in (select article_id from changed where kind = 'LIKE')
      and not exists (select from reactions l where l.article_id = n.article_id and l.kind = 'LIKE' and l.member_id <> n.member_id);
  end if;
  if exists (select from changed x join all_articles a on a.id = x.article_id where not a.is_private) then
    perform stamp_journal('counts');
  end if;
  return null;
end $$;
create trigger reactions_inserted after insert on reactions
  referencing new table as changed for each statement execute function reactions_counted();
create trigger reactions_removed after delete on reactions
  referencing old table as changed for each statement execute function reactions_counted();

-- The functions of reactions and follows add their notifications, and are called by one statement each (src/models/notification/create.ts): in a
-- function, each statement sees what was committed before it, so that the counter that it reads is exact, and of concurrent likes one notifies.

-- What a counter contains of members who withdrew, until a job has deleted their rows. Lists call it only if there are such members.
create function reactions_of_withdrawn(article bigint, of_kind text) returns integer language plpgsql stable as $$
begin
  return (
    select count(*) from withdrawn_members w cross join lateral (
      select from reactions l where l.article_id = article and l.kind = of_kind and l.member_id = w.id offset 0) l);
end $$;

-- Reads both with one snapshot. PL/pgSQL keeps the plans of the two functions.
create function visible_reactions(article bigint, of_kind text) returns integer language plpgsql stable as $$
begin
  return counted_reactions(article, of_kind) - reactions_of_withdrawn(article, of_kind);
end $$;

-- The insertion locks the counters of the article. An article has at most one notification of likes: the first like after it was read replaces it.
-- Other kinds do not notify.
create function add_reaction(article bigint, member bigint, of_kind text, notifies boolean, out total integer, out notified boolean)
language plpgsql as $$
begin
  insert into reactions (article_id, kind, member_id) values (article, of_kind, member) on conflict do nothing;
  notified := found and notifies
    and not exists (select from notifications n where n.article_id = article and n.type = 'LIKE' and n.read_at is null);
  if notified then
    delete from notifications n where n.article_id = article and n.type = 'LIKE';
    insert into notifications (member_id, type, article_id) select member_id, 'LIKE', id from all_articles where id = article;
  end if;
  total := visible_reactions(article, of_kind);
end $$;

create function remove_reaction(article bigint, member bigint, of_kind text) returns integer language plpgsql as $$
begin
  delete from reactions where article_id = article and kind = of_kind and member_id = member;
  return coalesce(visible_reactions(article, of_kind), 0);
end $$;

-- Of each member who has had a bookmark or followed a member. The limits are those of src/models/bookmark.ts and src/models/follow.ts.
create table reader_counts (
  member_id bigint primary key references members on delete cascade,
  bookmarks integer not null default 0 check (bookmarks between 0 and 10000),
  following integer not null default 0 check (following between 0 and 5000)
) with (fillfactor = 50);

-- Articles that a member has saved; only they see them.
create table bookmarks (
  member_id  bigint not null references members on delete cascade,
  article_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, article_id)
);
create index bookmarks_newest on bookmarks (member_id, created_at, article_id);
create index bookmarks_article on bookmarks (article_id);
create trigger article_exists after insert on bookmarks
  referencing new table as changed for each statement execute function article_id_required();

create function bookmarks_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into reader_counts as c (member_id, bookmarks)
    select member_id, count(*) from changed group by 1 order by 1
    on conflict (member_id) do update set bookmarks = c.bookmarks + excluded.bookmarks;
  else
    perform from reader_counts where member_id in (select member_id from changed) order by member_id for no key update;
    update reader_counts c set bookmarks = c.bookmarks - n.bookmarks
    from (select member_id, count(*) as bookmarks from changed group by 1) n where c.member_id = n.member_id;
  end if;
  return null;
end $$;
create trigger bookmarks_inserted after insert on bookmarks
  referencing new table as changed for each statement execute function bookmarks_counted();
create trigger bookmarks_removed after delete on bookmarks
  referencing old table as changed for each statement execute function bookmarks_counted();

-- Members whose new articles a member wants to see.
create table follows (
  follower_id bigint not null,
  member_id   bigint not null,
  created_at  timestamptz(3) not null default now(),
  primary key (follower_id, member_id),
  constraint follows_not_oneself check (follower_id <> member_id)
);
create index follows_newest on follows (follower_id, created_at, member_id);
-- Followers of a member, in an order that batches can continue.
create index follows_followers on follows (member_id, follower_id);
create trigger account_exists after insert on follows
  referencing new table as changed for each statement execute function member_id_required();
create trigger follower_exists after insert on follows
  referencing new table as changed for each statement execute function follower_id_required();

-- The counters of notifications are locked before those of the member, as by a new comment.
create function follows_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if tg_op = 'INSERT' then
    insert into reader_counts as c (member_id, following)
    select follower_id, count(*) from changed group by 1 order by 1
    on conflict (member_id) do update set following = c.following + excluded.following;
  else
    perform from reader_counts where member_id in (select follower_id from changed) order by member_id for no key update;
    update reader_counts c set following = c.following - n.following
    from (select follower_id, count(*) as following from changed group by 1) n where c.member_id = n.follower_id;
  end if;
  perform from notification_counts where member_id in (select member_id from changed) order by member_id for no key update;
  perform from member_counts where member_id in (select member_id from changed) order by member_id for no key update;
  update member_counts c set followers = c.followers + sign * n.followers
  from (select member_id, count(*) as followers from changed group by 1) n where c.member_id = n.member_id;
  if tg_op = 'DELETE' then
    delete from notifications n using changed x
    where n.type = 'FOLLOW' and n.member_id = x.member_id and n.actor_id = x.follower_id;
  end if;
  return null;
end $$;
create trigger follows_inserted after insert on follows
  referencing new table as changed for each statement execute function follows_counted();
create trigger follows_removed after delete on follows
  referencing old table as changed for each statement execute function follows_counted();

create function follow_member(follower bigint, followed bigint, notifies boolean) returns boolean language plpgsql as $$
begin
  insert into follows (follower_id, member_id) values (follower, followed) on conflict do nothing;
  if not (found and notifies) then return false; end if;
  insert into notifications (member_id, type, actor_id) values (followed, 'FOLLOW', follower);
  return true;
end $$;

-- Articles that were deleted, or became private, and whose comments, reactions and bookmarks (of deleted ones) and notifications a job deletes in batches.
create table ended_articles (
  article_id      bigint primary key,
  -- The last notification at that time: those of a private article that becomes public again stay. Null: the article has no notifications that
  -- end, or the job has deleted them.
  notification_id bigint,
  is_deleted      boolean not null default false
);
create index ended_articles_notified on ended_articles (article_id) where notification_id is not null;

create function end_articles(ids bigint[]) returns void language plpgsql as $$
begin
  insert into ended_articles (article_id, is_deleted, notification_id)
  select id, e.is_deleted, (select last_value from notification_ids
    where exists (select from notifications where article_id = i.id and (e.is_deleted or type = 'ARTICLE')))
  from unnest(ids) i (id) cross join lateral (select not exists (select from all_articles a where a.id = i.id) as is_deleted) e order by id
  on conflict (article_id) do update set is_deleted = excluded.is_deleted, notification_id = excluded.notification_id;
  perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
end $$;

create function articles_ended() returns trigger language plpgsql set enable_seqscan to off as $$
declare
  ids bigint[] := array(select id from changed i
    where exists (select from reactions where article_id = i.id) or exists (select from bookmarks where article_id = i.id)
      or exists (select from notifications where article_id = i.id) or exists (select from comments where article_id = i.id));
begin
  if cardinality(ids) > 0 then perform end_articles(ids); end if;
  -- Moderators do not find comments that are still to be deleted.
  delete from moderation_cases k where k.opened_at is not null and k.comment_id is not null
    and (select c.article_id from comments c where c.id = k.comment_id) = any(ids);
  return null;
end $$;
create trigger articles_ended after delete on all_articles
  referencing old table as changed for each statement execute function articles_ended();
