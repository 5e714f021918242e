/** Functions for what statements that show articles have in common: their stamps, tags, translations and reactions, and what was public of them. */
import type { Migration } from '../src/platform/database/migration.js';

export const migration: Migration = {
  name: '0004-articles',
  locks: {},
  up: [
    `
-- A stamp as one text, which readStamp (src/models/stamp.ts) parses: its tag, the time of the last change, and the time of the read.
create function stamp_text(tag text, changed_at timestamptz) returns text language sql as $$
  select tag || ' ' || extract(epoch from greatest('epoch', changed_at)) || ' ' || extract(epoch from clock_timestamp())
$$;

-- The tag of a resource that shows names and changes at some moments is the sum of these times in seconds since 1970. Each of them only increases, so that
-- two states have different sums.
create function stamp_of(
  moment timestamptz default null, moment2 timestamptz default null, moment3 timestamptz default null,
  moment4 timestamptz default null, moment5 timestamptz default null
) returns table (tag text, changed_at timestamptz) language sql stable rows 1 as $$
  select extract(epoch from coalesce(moment - 'epoch', '0') + coalesce(moment2 - 'epoch', '0') + coalesce(moment3 - 'epoch', '0')
      + coalesce(moment4 - 'epoch', '0') + coalesce(moment5 - 'epoch', '0') + coalesce(n.changed_at - 'epoch', '0'))::text,
    greatest(moment, moment2, moment3, moment4, moment5, n.changed_at)
  from (select (select changed_at from name_stamps)) n (changed_at)
$$;

create function microseconds_of(moment timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from moment) * 1000000)::bigint
$$;

-- Of everything that lists can show.
create function journal_stamp() returns table (tag text, changed_at timestamptz) language sql stable rows 1 as $$
  select coalesce(j.total::text, '') || '.' || n.tag, greatest(j.last, n.changed_at)
  from (select sum(microseconds_of(changed_at)) as total, max(changed_at) as last from journal_stamps) j cross join stamp_of() n
$$;

-- Of a feed, whose tag follows from its newest articles and from names, so that comments and other articles do not change it. An article that leaves the
-- feed changes the tag, but no timestamp of the remaining articles: the time of the last change is therefore the one of any article.
create function feed_stamp(newest text) returns table (tag text, changed_at timestamptz) language sql stable rows 1 as $$
  select coalesce(newest, '') || '.' || coalesce(microseconds_of(n.changed_at)::text, ''), greatest(j.last, n.changed_at)
  from (select (select changed_at from name_stamps)) n (changed_at)
    cross join (select max(changed_at) as last from journal_stamps where kind = 'articles') j
$$;

-- The key of a time in cursors.
create function milliseconds_of(moment timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from moment) * 1000)::bigint
$$;

-- Among the articles of a primary language, one subtag finds all of them; a longer tag is exact.
create function is_language(language text, wanted text) returns boolean language sql immutable as $$
  select strpos(wanted, '-') = 0 or language = wanted
$$;
create function has_language(primary_language text, language text, wanted text) returns boolean language sql immutable as $$
  select primary_language = split_part(wanted, '-', 1) and is_language(language, wanted)
$$;

-- What articles show of other tables: the names of their tags in order, and the other public articles of their group of translations, by language.
create function shown_with_article(article bigint, translation_group bigint) returns table (tags text[], translations json[])
language sql stable rows 1 as $$
  select
    array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = article order by x.position)::text[],
    array(
      select json_build_object('id', b.id, 'slug', b.slug, 'title', b.title, 'language', b.language)
      from all_articles b
      where b.translation_group_id = translation_group and b.id <> article and not b.is_private order by b.language
    )
$$;

-- The number of reactions of a kind to an article, of which a counter has also those of members who withdrew, whose rows a job deletes
-- (docs/decisions/withdrawal.md).
create function shown_reactions(article bigint, counted integer, of_kind text) returns table (number integer) language sql stable rows 1 as $$
  select coalesce(counted, 0)
    - case when exists (select from withdrawn_members) then reactions_of_withdrawn(article, of_kind) else 0 end
$$;

-- The text of the revision at which an article became private, if it has changed since: the first revision from then on.
create function public_revision(article bigint, private_revision integer) returns setof article_revisions language sql stable rows 1 as $$
  select r.* from article_revisions r where r.article_id = article and r.number >= private_revision order by r.number limit 1
$$;

-- What can be told of the address and the comments of an article when it was public, after it became private at a time and has changed since.
create function public_remains(article bigint, private_at timestamptz) returns table (first_slug text, comment_count bigint)
language sql stable rows 1 as $$
  select (select min(s.slug) from article_slugs s where s.article_id = article),
    (select count(*) from comments c where c.article_id = article and c.deleted_at is null and c.updated_at <= private_at)
$$;
`,
  ],
};
