/** Limits the cost of statements that would otherwise grow with the amount of data that members write. */
import type { Migration } from '../src/platform/database/migration.js';
import { searchLimits } from './0010-database-limits/search.js';

/**
 * Retention: the newest 1,000 events of each kind per member. By kind, so that failed logins, which any client can cause, displace
 * only older failed logins. At most ten rows are removed for each one that is added, which bounds the work of a login.
 */
const securityEvents = `
delete from security_events where id in (
  select id from (
    select id, row_number() over (partition by member_id, kind order by id desc) as place
    from security_events where member_id is not null
  ) e where place > 1000
);

create function security_event_trimmed() returns trigger language plpgsql as $$
begin
  delete from security_events where id = any(array(
    select id from security_events where id = any(array(
      select id from security_events where member_id = new.member_id and kind = new.kind
      order by id desc offset 1000 limit 10
    )) for update skip locked
  ));
  return null;
end $$;
create trigger security_event_trimmed after insert on security_events
  for each row when (new.member_id is not null) execute function security_event_trimmed();
`;

/**
 * The number of tags is the sum of sixteen rows (shards), as in article_totals. The triggers are deferred to the commit: the row of
 * a shard is the last lock that a transaction takes.
 */
const tagTotals = `
create table tag_totals (shard smallint primary key, tags bigint not null) with (fillfactor = 50);
insert into tag_totals (shard, tags) select 0, count(*) from tags;

create function tag_counted() returns trigger language plpgsql as $$
begin
  insert into tag_totals as t (shard, tags) values (pg_backend_pid() % 16, case tg_op when 'INSERT' then 1 else -1 end)
  on conflict (shard) do update set tags = t.tags + excluded.tags;
  return null;
end $$;
create constraint trigger tag_added after insert on tags
  deferrable initially deferred for each row execute function tag_counted();
create constraint trigger tag_removed after delete on tags
  deferrable initially deferred for each row execute function tag_counted();
`;

const kinds = 'create index security_events_kind on security_events (member_id, kind, id) where member_id is not null';

export const migration: Migration = {
  name: '0010-database-limits',
  locks: { tags: 'share row exclusive', security_events: 'share row exclusive' },
  up: [...searchLimits, securityEvents, tagTotals],
  indexes: [kinds],
};
