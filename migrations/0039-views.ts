/** Views of articles: totals, daily values, and for one day the hashes of the readers (docs/decisions/views.md). */
import type { Migration } from '../src/platform/database/migration.js';

/** By day, so that the lists of a period read the last days of all articles. */
const tables = `
alter table article_counts add column views integer not null default 0 check (views >= 0);

create table article_view_days (
  article_id bigint not null references article_counts on delete cascade,
  day        date not null,
  views      integer not null check (views > 0),
  primary key (article_id, day)
) with (fillfactor = 80);
create index article_view_days_day on article_view_days (day, article_id);

-- Of a day in UTC, for all processes. It is deleted with the hashes of the day, which mean nothing without it.
create table view_salts (
  day  date primary key,
  salt text not null check (length(salt) = 44)
);

-- Unlogged: no log and no standby of the database contains a hash. After a crash of the database, readers of that day may count once more.
create unlogged table view_readers (
  day     date not null,
  network bytea not null,
  reader  bytea not null,
  primary key (day, network, reader)
);
`;

/**
 * One transaction at a time counts views. Apart from the salts, it does not wait for a lock that another transaction holds, so that it is part of no
 * deadlock: it returns the articles whose counters are locked, or do not exist, and none of their views are counted. The stamp of lists has a row of its
 * own, since other transactions lock theirs before other rows.
 */
const counting = `
create function count_views(of_day date, article_ids bigint[], member_ids bigint[], networks bytea[], readers bytea[], max_readers integer)
returns bigint[] language plpgsql as $$
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
`;

export const migration: Migration = {
  name: '0039-views',
  locks: { article_counts: 'access exclusive' },
  up: [tables, counting],
};
