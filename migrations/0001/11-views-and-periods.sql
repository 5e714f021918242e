-- Views of articles (docs/decisions/views.md), and what lists of a period read: likes and views of the last days, and the archive by month
-- (docs/decisions/discovery.md).

-- Views of an article by day (UTC).
create table article_view_days (
  article_id bigint not null references article_counts on delete cascade,
  day        date not null,
  views      integer not null check (views > 0),
  primary key (article_id, day)
) with (fillfactor = 80);
-- The lists of a period read the last days of all articles.
create index article_view_days_day on article_view_days (day, article_id);

-- Of a day in UTC, for all processes. It is deleted with the hashes of the day, which mean nothing without it.
create table view_salts (
  day  date primary key,
  salt text not null check (length(salt) = 44)
);

-- The readers of one day. Unlogged: no log and no standby of the database contains a hash. After a crash of the database, readers of that day may
-- count once more.
create unlogged table view_readers (
  day     date not null,
  network bytea not null,
  reader  bytea not null,
  primary key (day, network, reader)
);

-- One transaction at a time counts views. Apart from the salts, it does not wait for a lock that another transaction holds, so that it is part of no
-- deadlock: it returns the articles whose counters are locked, and none of their views are counted. The stamp of lists has a row of
-- its own, since other transactions lock theirs before other rows. Plans use indexes: view_readers begins empty each day, and until it is analyzed
-- PostgreSQL would read all of it for each view.
create function count_views(of_day date, article_ids bigint[], member_ids bigint[], networks bytea[], readers bytea[], max_readers integer)
returns bigint[] language plpgsql set enable_seqscan to off as $$
declare
  new_articles bigint[];
  new_networks bytea[];
  new_readers  bytea[];
  free         bigint[];
  counted      bigint[];
begin
  -- Each statement sees what transactions before it have committed.
  perform from view_salts order by day for update;
  if not exists (select from view_salts where day = of_day) then return '{}'; end if;
  select coalesce(array_agg(p.article_id), '{}'), array_agg(p.network), array_agg(p.reader) into new_articles, new_networks, new_readers
  from (
    select s.*, row_number() over (partition by s.network order by s.reader)
      + (select count(*) from view_readers r where r.day = of_day and r.network = s.network) as place
    from (
      select distinct v.article_id, v.network, v.reader
      from unnest(article_ids, member_ids, networks, readers) v (article_id, member_id, network, reader)
        join all_articles a on a.id = v.article_id
      where not a.is_private and a.member_id <> v.member_id
    ) s
    where not exists (select from view_readers r where r.day = of_day and r.network = s.network and r.reader = s.reader)
  ) p where p.place <= max_readers;
  free := array(select c.article_id from article_counts c where c.article_id = any(new_articles) for no key update skip locked);
  with added as (
    insert into view_readers (day, network, reader)
    select of_day, v.network, v.reader
    from unnest(new_articles, new_networks, new_readers) v (article_id, network, reader) join unnest(free) f (article_id) using (article_id)
  )
  select array_agg(v.article_id) into counted from unnest(new_articles) v (article_id) join unnest(free) f (article_id) using (article_id);
  if counted is not null then
    update article_counts c set views = c.views + n.views, changed_at = stamp_after(c.changed_at)
    from (select article_id, count(*) as views from unnest(counted) v (article_id) group by 1) n where c.article_id = n.article_id;
    insert into article_view_days as d (article_id, day, views)
    select article_id, of_day, count(*) from unnest(counted) v (article_id) group by 1
    on conflict (article_id, day) do update set views = d.views + excluded.views;
    insert into journal_stamps as s (kind, shard, changed_at, changed_in) values ('counts', 32, clock_timestamp(), pg_current_xact_id())
    on conflict (kind, shard) do update set changed_at = stamp_after(s.changed_at), changed_in = excluded.changed_in;
  end if;
  return array(select v.article_id from unnest(new_articles) v (article_id) except select f.article_id from unnest(free) f (article_id));
end $$;

-- The likes and views of the last 1, 7 and 30 days, which a job computes every hour. Private articles are in the lists of their authors only.
create table article_trends (
  article_id  bigint references all_articles on delete cascade,
  days        smallint check (days in (1, 7, 30)),
  likes       integer not null,
  views       integer not null,
  -- Copies of columns of the article.
  is_private  boolean not null,
  member_id   bigint not null,
  category_id bigint not null,
  primary key (article_id, days)
);
create index article_trends_likes on article_trends (days, likes, article_id) where likes > 0 and not is_private;
create index article_trends_views on article_trends (days, views, article_id) where views > 0 and not is_private;
create index article_trends_member_likes on article_trends (days, member_id, likes, article_id) where likes > 0 and not is_private;
create index article_trends_member_views on article_trends (days, member_id, views, article_id) where views > 0 and not is_private;
create index article_trends_category_likes on article_trends (days, category_id, likes, article_id) where likes > 0 and not is_private;
create index article_trends_category_views on article_trends (days, category_id, views, article_id) where views > 0 and not is_private;
create index article_trends_private_member_likes on article_trends (days, member_id, likes, article_id)
   where likes > 0 and is_private;
create index article_trends_private_member_views on article_trends (days, member_id, views, article_id)
   where views > 0 and is_private;
create index article_trends_private_category_likes on article_trends (days, category_id, likes, article_id)
   where likes > 0 and is_private;
create index article_trends_private_category_views on article_trends (days, category_id, views, article_id)
   where views > 0 and is_private;

-- The number of articles in the public lists of each period: a sum over shards (own_shard).
create table trend_totals (
  days   smallint,
  shard  smallint,
  liked  bigint not null,
  viewed bigint not null,
  primary key (days, shard)
) with (fillfactor = 50);

create function article_trends_counted() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then 
    insert into trend_totals as t (days, shard, liked, viewed)
    select days, own_shard(), -count(*) filter (where likes > 0), -count(*) filter (where views > 0)
    from removed where not is_private group by 1 order by 1
    on conflict (days, shard) do update set liked = t.liked + excluded.liked, viewed = t.viewed + excluded.viewed;
  end if;
  if tg_op <> 'DELETE' then 
    insert into trend_totals as t (days, shard, liked, viewed)
    select days, own_shard(), count(*) filter (where likes > 0), count(*) filter (where views > 0)
    from added where not is_private group by 1 order by 1
    on conflict (days, shard) do update set liked = t.liked + excluded.liked, viewed = t.viewed + excluded.viewed;
  end if;
  return null;
end $$;
create trigger article_trends_added after insert on article_trends
  referencing new table as added for each statement execute function article_trends_counted();
create trigger article_trends_changed after update on article_trends
  referencing old table as removed new table as added for each statement execute function article_trends_counted();
create trigger article_trends_removed after delete on article_trends
  referencing old table as removed for each statement execute function article_trends_counted();

-- The number of public articles by month (UTC), of a member.
create table member_months (
  member_id bigint references members on delete cascade,
  month     date,
  articles  integer not null check (articles >= 0),
  primary key (member_id, month)
) with (fillfactor = 50);

-- The same of all: a sum over shards (own_shard).
create table journal_months (
  month    date,
  shard    smallint,
  articles bigint not null,
  primary key (month, shard)
) with (fillfactor = 50);

-- The rows of a withdrawn member are deleted with the member.
create function count_in_archive(of_member bigint, of_month date, added bigint) returns void language plpgsql as $$
begin
  if added > 0 then
    insert into member_months as m (member_id, month, articles) values (of_member, of_month, added)
    on conflict (member_id, month) do update set articles = m.articles + excluded.articles;
  else
    update member_months set articles = articles + added where member_id = of_member and month = of_month;
  end if;
  insert into journal_months as j (month, shard, articles) values (of_month, own_shard(), added)
  on conflict (month, shard) do update set articles = j.articles + excluded.articles;
end $$;

create function article_months_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform count_in_archive(n.member_id, n.month, sign * n.articles)
  from (select member_id, month, count(*) as articles from changed where not is_private group by 1, 2 order by 1, 2) n;
  return null;
end $$;
create trigger article_months_added after insert on article_counts
  referencing new table as changed for each statement execute function article_months_counted();
create trigger article_months_removed after delete on article_counts
  referencing old table as changed for each statement execute function article_months_counted();

create function article_month_moved() returns trigger language plpgsql as $$
begin
  if not old.is_private then perform count_in_archive(old.member_id, old.month, -1); end if;
  if not new.is_private then perform count_in_archive(new.member_id, new.month, 1); end if;
  return null;
end $$;
create trigger article_month_moved after update of is_private, member_id, month on article_counts
  for each row when ((old.is_private, old.member_id, old.month) is distinct from (new.is_private, new.member_id, new.month))
  execute function article_month_moved();
