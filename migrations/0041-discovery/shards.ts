/**
 * Sums over several rows use a shard that no other transaction uses until this one ends. A shard by connection would have to be locked last, but an
 * insert of an article locks sums before its tags and the counters of its member, and a deletion after those of its comments and tags: two
 * connections with the same shard would wait for each other.
 */
import { SHARD_LOCKS } from '../../src/platform/database/locks.js';

export const shards = `
create function own_shard() returns smallint language plpgsql as $$
declare
  shard smallint := 0;
begin
  while not pg_try_advisory_xact_lock(${SHARD_LOCKS}, shard) loop shard := shard + 1; end loop;
  return shard;
end $$;

create or replace function count_public_articles(added bigint) returns void language sql as $$
  insert into article_totals as t (shard, articles) values (own_shard(), added)
  on conflict (shard) do update set articles = t.articles + excluded.articles
$$;

create or replace function tag_counted() returns trigger language plpgsql as $$
begin
  insert into tag_totals as t (shard, tags)
  values (own_shard(), case when tg_op = 'UPDATE' and new.article_count > 0 then 1 else -1 end)
  on conflict (shard) do update set tags = t.tags + excluded.tags;
  return null;
end $$;

create or replace function stamp_journal(of_kind text) returns void language sql as $$
  insert into journal_stamps as s (kind, shard, changed_at, changed_in)
  values (of_kind, own_shard(), clock_timestamp(), pg_current_xact_id())
  on conflict (kind, shard) do update set changed_at = stamp_after(s.changed_at), changed_in = excluded.changed_in
  where s.changed_in <> excluded.changed_in or s.changed_at < clock_timestamp() - interval '1 second'
$$;
`;
