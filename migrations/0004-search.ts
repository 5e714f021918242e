/**
 * Search: one row per article with its case-folded text, and a GIN index on every substring of a word that a search can match.
 * docs/search.md describes the queries.
 */
import type { Migration } from '../src/platform/database/migration.js';
import { caseFolding } from './0004-search/letters.js';
import { triggers } from './0004-search/triggers.js';

/**
 * Normalization for comparison: NFC, lower case, words separated by single spaces. lower() alone depends on the locale of the
 * database: with some locales it does not change letters beyond ASCII, with Turkish ones it maps I to ı.
 */
const fold = `
create function search_fold(source text) returns text
language plpgsql immutable strict parallel safe as $$
declare folded text := source;
begin
  if folded is not nfc normalized then folded := normalize(folded, nfc); end if;
  folded := regexp_replace(folded,
    '[\\u0001-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+' collate "C", ' ', 'g');
  folded := lower(btrim(folded) collate "C");
  ${caseFolding}
  return folded;
end $$`;

/**
 * The index keys of an article, from its folded texts: of each word, every character, every pair of adjacent characters, and the
 * substring of up to 16 characters from every position (if it has at least three). A search for one or two characters matches a key
 * exactly, a longer one matches a key prefix. Keys of the title begin with U+0001, those of the tags with U+0002, which folded text
 * cannot contain; keys without a mark cover title, tags and content together. U+0003 marks a text whose keys would not fit: see
 * search_is_long.
 *
 * The index calls this function, so it uses only objects of pg_catalog, independent of the search_path.
 */
const keys = `
create function search_keys(is_long boolean, title text, tags text, content text) returns tsvector
language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  mark text;
  word text;
  size integer;
  keys text[] := case when is_long then array[E'\\x03'] else '{}' end;
begin
  for mark, word, size in
    select field.mark, words.found, length(words.found)
    from (values (E'\\x01', title), (E'\\x02', tags),
                 ('', case when is_long then '' else title || ' ' || tags || ' ' || content end)) field (mark, body),
      lateral (select distinct part collate "C" as found
               from unnest(string_to_array(field.body, ' ')) part where part <> '') words
  loop
    for start in 1..size loop
      keys := keys || (mark || substr(word, start, 1));
      if start < size then keys := keys || (mark || substr(word, start, 2)); end if;
      if start + 1 < size then keys := keys || (mark || substr(word, start, 16)); end if;
    end loop;
  end loop;
  return array_to_tsvector(keys);
end $$;

-- A tsvector holds less than 1 MB. The sum is an upper bound of the bytes of all keys; text without any space, some ten
-- thousand characters of it, comes close to the limit. Such texts are rare, so a search reads them completely.
create function search_is_long(body text) returns boolean
language sql immutable strict parallel safe as $$
  select coalesce(sum(octet_length(word) * (3 + least(16, (length(word) + 1) / 2.0))), 0) > 900000
  from (select distinct word collate "C" as word from unnest(string_to_array(body, ' ')) word) words
$$`;

/** Both functions take folded text. A word longer than 16 characters is looked up by its first and last 16, then matched in the text. */
const query = `
create function search_term(word text, mark text) returns text
language sql immutable strict parallel safe as $$
  select string_agg('''' || replace(replace(mark || piece, '\\', '\\\\'), '''', '''''') || '''' ||
                    case when length(piece) > 2 then ':*' else '' end, ' & ')
  from unnest(case when length(word) > 16 then array[left(word, 16), right(word, 16)] else array[word] end) piece
$$;

-- A tsquery that requires every word to occur in one of the marked fields.
create function search_query(words text, marks text[]) returns tsquery
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    '(' || (select string_agg(search_term(word, mark), ' | ') from unnest(marks) mark) || ')', ' & '), '')::tsquery
  from unnest(string_to_array(words, ' ')) word where word <> ''
$$`;

const table = `
create table article_search (
  article_id  bigint primary key references articles on delete cascade,
  created_at  timestamptz(3) not null,
  member_id   bigint not null,
  category_id bigint not null,
  is_long     boolean not null,
  title       text not null,
  tags        text not null,
  content     text not null
) with (fillfactor = 90)`;

const tagsOf = `
create function search_tags(article bigint) returns text
language sql stable as $$
  select coalesce(string_agg(search_fold(t.name), ' ' order by x.position), '')
  from article_tags x join tags t on t.id = x.tag_id where x.article_id = article
$$`;

const index = `
insert into article_search
select id, created_at, member_id, category_id, search_is_long(search_fold(content)),
       search_fold(title), search_tags(id), search_fold(content)
from articles;

create index article_search_newest on article_search (created_at desc, article_id desc);
create index article_search_keys on article_search using gin (search_keys(is_long, title, tags, content));
-- ANALYZE would call the function for 30,000 rows; the only query plan for this table needs no statistics.
alter index article_search_keys alter column 1 set statistics 0`;

export const migration: Migration = {
  name: '0004-search',
  locks: { article_tags: 'share row exclusive', tags: 'share row exclusive', articles: 'share row exclusive' },
  up: [fold, keys, query, table, tagsOf, index, triggers],
};
