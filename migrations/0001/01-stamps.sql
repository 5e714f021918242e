-- Stamps: the time of the last change of public data, which triggers renew in the transaction of the change. A stamp of one row is strictly
-- increasing, by at least a microsecond, so that each state of the data has a distinct stamp. ETags follow from them
-- (docs/decisions/conditional-get.md). The stamps of one article or summary are columns of its row; those of everything else are here.

create function stamp_after(earlier timestamptz) returns timestamptz language sql volatile as $$
  select greatest(clock_timestamp(), earlier + interval '1 microsecond')
$$;

-- Sums over several rows ("shards") are counters and stamps of the journal that concurrent writers change without waiting for one row lock.
-- A transaction uses a shard that no other one uses until it ends. A shard by connection would have to be locked last, but an insertion of an article
-- locks sums before its tags and the counters of its member, and a deletion after those of its comments and tags: two connections with the same shard
-- would wait for each other. The first key is SHARD_LOCKS of src/platform/database/locks.ts.
create function own_shard() returns smallint language plpgsql as $$
declare
  shard smallint := 0;
begin
  while not pg_try_advisory_xact_lock(4270010, shard) loop shard := shard + 1; end loop;
  return shard;
end $$;

-- Lists can contain any article. Their stamp is the newest of several rows. `counts` is that of likes, views and series: feeds and the sitemap do
-- not depend on it.
create table journal_stamps (
  kind       text constraint journal_stamps_kind_check check (kind in ('articles', 'comments', 'counts')),
  shard      smallint,
  changed_at timestamptz not null,
  changed_in xid8 not null,
  primary key (kind, shard)
) with (fillfactor = 50);

-- A transaction writes its row at most once per second, regardless of the number of rows that it changes.
create function stamp_journal(of_kind text) returns void language sql as $$
  insert into journal_stamps as s (kind, shard, changed_at, changed_in)
  values (of_kind, own_shard(), clock_timestamp(), pg_current_xact_id())
  on conflict (kind, shard) do update set changed_at = stamp_after(s.changed_at), changed_in = excluded.changed_in
  where s.changed_in <> excluded.changed_in or s.changed_at < clock_timestamp() - interval '1 second'
$$;

-- The argument of the trigger is the kind.
create function journal_stamped() returns trigger language plpgsql as $$
begin
  perform stamp_journal(tg_argv[0]);
  return null;
end $$;

-- Names (of members, categories and tags) and public profiles appear on any number of pages and change rarely: all share one stamp.
create table name_stamps (
  is_only    boolean primary key default true check (is_only),
  changed_at timestamptz not null
);
insert into name_stamps (changed_at) values (clock_timestamp());

create function names_stamped() returns trigger language plpgsql as $$
begin
  insert into name_stamps as s (changed_at) values (clock_timestamp())
  on conflict (is_only) do update set changed_at = stamp_after(s.changed_at);
  return null;
end $$;
