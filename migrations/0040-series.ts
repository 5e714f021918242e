/** Series of articles, each with an order that its author sets (docs/decisions/series.md). */
import type { Migration } from '../src/platform/database/migration.js';

const table = `
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
`;

/**
 * In the row of the article, whose update renews its stamps and those of lists, and which every statement of an article reads anyway. The series must
 * belong to the author of the article. That is checked at commit, so that \`daybook member claim\` can move both.
 */
const columns = `
alter table all_articles
  add column series_id       bigint,
  -- From 1. An import keeps the numbers of its source.
  add column series_position integer,
  add constraint articles_series_check
    check (num_nonnulls(series_id, series_position) in (0, 2) and series_position > 0) not valid,
  add constraint articles_series_fkey foreign key (series_id, member_id) references series (id, member_id)
    deferrable initially deferred not valid;
create or replace view articles as select * from all_articles where not is_private;

-- The articles of a deleted series stay.
create function series_removed() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  update all_articles set series_id = null, series_position = null where series_id = old.id;
  return old;
end $$;
create trigger series_removed before delete on series for each row execute function series_removed();
`;

/**
 * Each is called by one statement. In a function, each statement sees what was committed before it, so that everything is checked under the locks. The
 * first lock is that of the member: writes of series of one member, the withdrawal and \`daybook member claim\` wait for each other. Then the articles
 * are locked in the order of their ids. The functions return the series, or the key of an error in \`failure\`, before they change anything.
 */
const functions = `
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
`;

/** A series that an import has added, so that a repeated import does not add it again. */
const imports = `
alter table imported_records drop constraint imported_records_kind_check;
alter table imported_records add constraint imported_records_kind_check
  check (kind in ('member', 'article', 'draft', 'comment', 'image', 'series')) not valid;
`;

export const migration: Migration = {
  name: '0040-series',
  // The view before its table, as statements that name it lock them: otherwise each would wait for the other.
  locks: {
    articles: 'access exclusive',
    all_articles: 'access exclusive',
    members: 'share row exclusive',
    imported_records: 'access exclusive',
  },
  up: [table, columns, functions, imports],
  // The last column for index-only scans of the public ones.
  indexes: [
    'create index articles_series on all_articles (series_id, series_position, id) include (is_private) where series_id is not null',
  ],
};
