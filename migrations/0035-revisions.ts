/**
 * Each edit of an article stores the state that it replaces (docs/decisions/revisions.md). A trigger does it for the title and the content, since
 * several commands, imports and operators change them; only src/commands/edit-article.ts changes the tags of an existing article.
 */
import type { Migration } from '../src/platform/database/migration.js';

/** The number is in use only if an operator has lowered the version of the article: its edits must not fail then. */
const revisions = `
create function add_article_revision(article bigint) returns void language sql as $$
  insert into article_revisions (article_id, number, title, content, tags, created_at)
  select a.id, a.version, a.title, a.content,
    array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by x.position),
    a.updated_at
  from all_articles a where a.id = article
  on conflict do nothing
$$;

create function article_revised() returns trigger language plpgsql as $$
begin
  perform add_article_revision(old.id);
  new.version := greatest(new.version, old.version + 1);
  return new;
end $$;
create trigger article_revised before update of title, content on all_articles
  for each row when (old.title <> new.title or old.content <> new.content) execute function article_revised();
`;

/** A draft that an import has added, so that a repeated import does not add it again. */
const imports = `
alter table imported_records drop constraint imported_records_kind_check;
alter table imported_records add constraint imported_records_kind_check
  check (kind in ('member', 'article', 'draft', 'comment', 'image'));
`;

export const migration: Migration = {
  name: '0035-revisions',
  locks: { all_articles: 'share row exclusive', imported_records: 'access exclusive' },
  up: [revisions, imports],
};
