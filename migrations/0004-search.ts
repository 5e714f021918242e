/**
 * Search: one row per article with its text folded, indexed by every piece of a word that a search can name.
 * docs/search.md says how it is read.
 */
import type { Migration } from '../src/database/migration.js';
import { caseFolding } from './0004-search-letters.js';
import { triggers } from './0004-search-triggers.js';

/**
 * The form in which texts are compared: NFC, lower case, words parted by single spaces. Not lower() alone, which depends
 * on the database's locale: in some it leaves letters beyond ASCII as they are, in Turkish ones it makes ı of I.
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
 * The keys of an article, from its folded texts: of each word, every character, every pair of neighbours, and from every
 * character on up to 16 (where there are three). So one and two characters are found by their key, more by the beginning
 * of one. Keys of the title begin with U+0001, those of the tags with U+0002, which folded text cannot hold; content has
 * no mark, and neither has all of it together. U+0003 stands for a text whose keys would not fit: see search_is_long.
 *
 * The index calls this, so it uses nothing but what pg_catalog has, whatever the search_path.
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
-- thousand characters of it, comes near. Such texts are rare enough to be read through.
create function search_is_long(body text) returns boolean
language sql immutable strict parallel safe as $$
  select coalesce(sum(octet_length(word) * (3 + least(16, (length(word) + 1) / 2.0))), 0) > 900000
  from (select distinct word collate "C" as word from unnest(string_to_array(body, ' ')) word) words
$$`;

/** Both take folded text. A word longer than 16 is looked up by its two ends, and then looked for in the text. */
const query = `
create function search_term(word text, mark text) returns text
language sql immutable strict parallel safe as $$
  select string_agg('''' || replace(replace(mark || piece, '\\', '\\\\'), '''', '''''') || '''' ||
                    case when length(piece) > 2 then ':*' else '' end, ' & ')
  from unnest(case when length(word) > 16 then array[left(word, 16), right(word, 16)] else array[word] end) piece
$$;

-- What an article must have for every word to be in one of the marked fields.
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
-- ANALYZE would call the function for 30,000 rows, and learn nothing that the one way to read this table needs.
alter index article_search_keys alter column 1 set statistics 0`;

export const migration: Migration = {
  name: '0004-search',
  up: [fold, keys, query, table, tagsOf, index, triggers],
};
