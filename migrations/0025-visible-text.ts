/** The visible text of each article, which search, excerpts and snippets use in place of the source. */
import type { Migration } from '../src/platform/database/migration.js';
import { caseFolding } from './0004-search/letters.js';

/**
 * Not a column of article_html: filling it would write each row of that table again. No row: the content has not been rendered since this
 * migration, or by a process of an older version; then the search index contains the source. The index covers the version, so that the job
 * that looks for missing rows reads no texts.
 */
const table = `
create table article_texts (
  article_id bigint references articles on delete cascade,
  version    integer not null,
  text       text not null,
  primary key (article_id) include (version)
);

create or replace function remove_article_html() returns trigger language plpgsql as $$
begin
  delete from article_html where article_id = new.id;
  delete from article_texts where article_id = new.id;
  return null;
end $$`;

/**
 * As in 0004-search, but without characters that readers do not see: soft hyphens, zero-width spaces, word joiners and byte order
 * marks, which a reader copies from a page with the word around them.
 */
const fold = `
create or replace function search_fold(source text) returns text
language plpgsql immutable strict parallel safe as $$
declare folded text := source;
begin
  if folded ~ '[\\u00ad\\u200b\\u2060\\ufeff]' collate "C" then
    folded := regexp_replace(folded, '[\\u00ad\\u200b\\u2060\\ufeff]+' collate "C", '', 'g');
  end if;
  if folded is not nfc normalized then folded := normalize(folded, nfc); end if;
  folded := regexp_replace(folded,
    '[\\u0001-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+' collate "C", ' ', 'g');
  folded := lower(btrim(folded) collate "C");
  ${caseFolding}
  return folded;
end $$`;

const triggers = `
create or replace function article_search_add() returns trigger language plpgsql as $$
begin
  insert into article_search
  select a.id, a.created_at, a.member_id, a.category_id, false, search_fold(a.title), search_tags(a.id),
         search_fold(coalesce(t.text, a.content))
  from articles a left join article_texts t on t.article_id = a.id where a.id = new.id;
  return null;
end $$;

create or replace function article_search_rewrite() returns trigger language plpgsql as $$
begin
  update article_search s set title = search_fold(a.title), content = search_fold(coalesce(t.text, a.content))
  from articles a left join article_texts t on t.article_id = a.id
  where a.id = new.id and s.article_id = a.id;
  return null;
end $$;

-- In the transaction that writes the article, the triggers above have already written the same.
create function article_search_text() returns trigger language plpgsql as $$
begin
  update article_search s set title = f.title, content = f.content
  from (select search_fold(a.title) as title, search_fold(t.text) as content
        from articles a join article_texts t on t.article_id = a.id where a.id = new.article_id) f
  where s.article_id = new.article_id and (s.title, s.content) is distinct from (f.title, f.content);
  return null;
end $$;

create constraint trigger article_search_text after insert or update of text on article_texts
  deferrable initially deferred for each row execute function article_search_text();
-- Results of searches and their snippets change. After the search index, since the row of a stamp is the last lock that a transaction takes.
create constraint trigger article_texts_stamped after insert or update of text on article_texts
  deferrable initially deferred for each row execute function journal_stamped('articles')`;

export const migration: Migration = {
  name: '0025-visible-text',
  locks: { articles: 'share row exclusive' },
  up: [table, fold, triggers],
};
