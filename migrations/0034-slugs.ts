/** Slugs, by which articles have readable addresses, and the length of their texts (docs/decisions/slugs.md). */

import { SLUG_LOCKS } from '../src/platform/database/locks.js';
import type { Migration } from '../src/platform/database/migration.js';

const columns = `
alter table all_articles
  -- Null until it is filled, in rows of the previous version. Of an article that was never public: a proposal.
  add column slug            varchar(100),
  -- Whether the author chose the slug. If not, a number makes it unique.
  add column is_slug_given   boolean not null default false,
  -- Of the visible text; null until it is rendered.
  add column word_count      integer check (word_count >= 0),
  add column reading_minutes integer check (reading_minutes >= 1);
create or replace view articles as select * from all_articles where not is_private;

-- Every slug under which an article is or was public. Of one article, that in all_articles.slug is current, and the others lead to it.
create table article_slugs (
  slug       varchar(100) collate "C" primary key,
  -- Deferred: a trigger before the insertion of the article reserves its slug.
  article_id bigint not null references all_articles on delete cascade deferrable initially deferred
);
create index article_slugs_article on article_slugs (article_id);
`;

/**
 * In triggers, so that each way to write an article reserves its slug. They run before the row is written, and so before the transaction takes
 * locks that others share, such as those of counters and tags: a transaction that waits for a slug holds none of these. A backfill and an import begin with
 * an empty table, for which plans with sequential scans would be made, and used until the table is analyzed: enable_seqscan prevents them.
 */
const reservation = `
create function numbered_slug(slug text, number bigint) returns text language sql immutable strict parallel safe as $$
  select case when number = 1 then slug
    else rtrim(left(slug, 99 - length(number::text)), '-') || '-' || number end
$$;

-- Few lookups, whatever the number of articles with this slug: a number that is free, while a smaller one of half its size is taken, and between
-- the two a free one after a taken one. Transactions in progress hold locks on the slugs that they have reserved: others do not wait for them.
create function reserve_numbered_slug(wanted text, of_article bigint) returns text language plpgsql set enable_seqscan to off as $$
declare
  taken bigint := 0;
  free bigint := 1;
  middle bigint;
  candidate text;
begin
  while exists (select from article_slugs where slug = numbered_slug(wanted, free)) loop
    taken := free;
    free := free * 2;
  end loop;
  while free - taken > 1 loop
    middle := (taken + free) / 2;
    if exists (select from article_slugs where slug = numbered_slug(wanted, middle)) then taken := middle; else free := middle; end if;
  end loop;
  loop
    candidate := numbered_slug(wanted, free);
    if pg_try_advisory_xact_lock(${SLUG_LOCKS}, hashtext(candidate)) then
      insert into article_slugs (slug, article_id) values (candidate, of_article) on conflict do nothing;
      if found then return candidate; end if;
    end if;
    free := free + 1;
  end loop;
end $$;

-- The unique violation of a slug that is taken is the error of the application.
create function article_slug_reserved() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  if exists (select from article_slugs where slug = new.slug and article_id = new.id) then return new; end if;
  if new.is_slug_given then
    perform pg_advisory_xact_lock(${SLUG_LOCKS}, hashtext(new.slug));
    insert into article_slugs (slug, article_id) values (new.slug, new.id);
  else
    new.slug := reserve_numbered_slug(new.slug, new.id);
  end if;
  return new;
end $$;
create trigger article_slug_reserved_on_insert before insert on all_articles
  for each row when (not new.is_private and new.slug is not null) execute function article_slug_reserved();
create trigger article_slug_reserved_on_update before update of slug, is_private on all_articles
  for each row when (not new.is_private and new.slug is not null and (old.is_private or old.slug is distinct from new.slug))
  execute function article_slug_reserved();
`;

/** A process of the previous version changes the content and leaves the counts of the previous text. */
const counts = `
create function article_uncounted() returns trigger language plpgsql as $$
begin
  new.word_count := null;
  new.reading_minutes := null;
  return new;
end $$;
create trigger article_uncounted before update of content on all_articles
  for each row when (old.content <> new.content and old.word_count = new.word_count) execute function article_uncounted();
`;

export const migration: Migration = {
  name: '0034-slugs',
  // The view before its table, as statements that name it lock them: otherwise each would wait for the other.
  locks: { articles: 'access exclusive', all_articles: 'access exclusive' },
  up: [columns, reservation, counts],
  indexes: ['create index articles_unfilled on all_articles (id) where slug is null or word_count is null'],
};
