/** Limits the data that a search reads and the keys that an article adds to the index. docs/search.md describes both. */

/**
 * The index keys of an article as in 0004-search, for texts of any length: title and tags first, then all words in their order, until
 * the keys together take 900 kB (a tsvector holds less than 1 MB), and of one word its first 20,000 characters. Texts that had all
 * their keys before get the same ones, so the index stays valid. Words are processed in slices of 48 characters plus the 15 after
 * them: substr() on a long text counts characters from its beginning.
 *
 * `is_long` has no effect any more. It remains since the index expression names it: without it, the index would have to be rebuilt.
 */
const keys = `
create or replace function search_keys(is_long boolean, title text, tags text, content text) returns tsvector
language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  mark text;
  rest text;
  slice text;
  size integer;
  positions integer;
  bytes numeric := 0;
  keys text[] := '{}';
begin
  for mark, rest in
    select field.mark, left(words.found, 20000)
    from (values (1, E'\\x01', title), (2, E'\\x02', tags), (3, '', title || ' ' || tags || ' ' || content))
           field (place, mark, body),
      lateral (select part collate "C" as found, min(place) as place
               from unnest(string_to_array(field.body, ' ')) with ordinality parts (part, place)
               where part <> '' group by 1) words
    order by field.place, words.place
  loop
    loop
      slice := left(rest, 63);
      size := length(slice);
      positions := case when octet_length(slice) < octet_length(rest) then 48 else size end;
      for start in 1..positions loop
        keys := keys || (mark || substr(slice, start, 1));
        if start < size then keys := keys || (mark || substr(slice, start, 2)); end if;
        if start + 1 < size then keys := keys || (mark || substr(slice, start, 16)); end if;
      end loop;
      bytes := bytes + octet_length(left(slice, positions)) * (3 + least(16, (size + 1) / 2.0));
      if bytes > 900000 then return array_to_tsvector(keys); end if;
      exit when positions = size;
      rest := substr(rest, 49);
    end loop;
  end loop;
  return array_to_tsvector(keys);
end $$`;

/**
 * A word longer than a key is looked up by all its substrings of 16 characters, so that no text has to be read. A key of 16
 * characters is matched exactly, not as a prefix: no key is longer.
 */
const query = `
create or replace function search_term(word text, mark text) returns text
language sql immutable strict parallel safe as $$
  select string_agg('''' || replace(replace(mark || piece, '\\', '\\\\'), '''', '''''') || '''' ||
                    case when length(piece) between 3 and 15 then ':*' else '' end, ' & ')
  from unnest(case when length(word) > 16
                then array(select substr(word, start, 16) from generate_series(1, length(word) - 15) start)
                else array[word] end) piece
$$`;

const triggers = `
create or replace function article_search_add() returns trigger language plpgsql as $$
begin
  insert into article_search
  select id, created_at, member_id, category_id, false, search_fold(title), search_tags(id), search_fold(content)
  from articles where id = new.id;
  return null;
end $$;

create or replace function article_search_rewrite() returns trigger language plpgsql as $$
begin
  update article_search s set title = search_fold(a.title), content = search_fold(a.content)
  from articles a where a.id = new.id and s.article_id = a.id;
  return null;
end $$;

drop function search_is_long(text)`;

/** Computes the keys of long texts, which had only the keys of title and tags before. */
const texts = 'update article_search set is_long = false where is_long';

export const searchLimits = [keys, query, triggers, texts];
