/**
 * Private articles, which exist only for their authors. The name `articles` becomes a view of the public ones, and `article_tags` a view of their
 * tags, so that a statement reads public data unless it names the base table, `all_articles` or `all_article_tags`
 * (docs/decisions/private-articles.md). Both views accept writes: processes of the previous version use them as the tables.
 */
import type { Migration } from '../src/platform/database/migration.js';
import { counters } from './0031-private-articles/counters.js';
import { search } from './0031-private-articles/search.js';
import { stamps } from './0031-private-articles/stamps.js';

/** A column that is added to a base table later has to be added to its view: `create or replace view` with the same text. */
const views = `
alter table articles rename to all_articles;
alter table article_tags rename to all_article_tags;
alter table all_articles add column is_private boolean not null default false;
-- A copy of all_articles.is_private, as created_at is one.
alter table all_article_tags add column is_private boolean not null default false;
create view articles as select * from all_articles where not is_private;
create view article_tags as select * from all_article_tags where not is_private;
`;

/** PL/pgSQL resolves names when a function runs: triggers would not find private rows in the views. */
const functions = `
do $$
declare
  tables constant text := '\\m(from|join|into|update) (articles|article_tags)\\M';
  found record;
begin
  for found in
    select pg_get_functiondef(p.oid) as definition from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prosrc ~ tables
  loop
    execute regexp_replace(found.definition, tables, '\\1 all_\\2', 'g');
  end loop;
end $$;

create or replace function article_tag_dated() returns trigger language plpgsql as $$
begin
  select created_at, is_private into new.created_at, new.is_private from all_articles where id = new.article_id;
  return new;
end $$;
`;

const indexes = [
  'create index articles_public_created on all_articles (created_at, id) where not is_private',
  'create index articles_public_updated on all_articles (updated_at, id) where not is_private',
  'create index articles_public_title on all_articles (title_key, id) where not is_private',
  'create index articles_public_comments on all_articles (comment_count, id) where not is_private',
  'create index articles_public_member on all_articles (member_id, created_at, id) where not is_private',
  'create index articles_public_category on all_articles (category_id, created_at, id) where not is_private',
  // For the author's list of them.
  'create index articles_private_member on all_articles (member_id, created_at, id) where is_private',
  'create index article_tags_public_created on all_article_tags (tag_id, created_at, article_id) where not is_private',
];

export const migration: Migration = {
  name: '0031-private-articles',
  locks: {
    comments: 'access exclusive',
    articles: 'access exclusive',
    article_texts: 'access exclusive',
    article_tags: 'access exclusive',
    tags: 'access exclusive',
    member_tags: 'access exclusive',
    member_counts: 'access exclusive',
  },
  up: [views, functions, search, counters, stamps],
  indexes,
};
