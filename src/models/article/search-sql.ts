/** SQL of the keyword search for articles. docs/search.md describes its cost. */
import { SPELLINGS } from './spellings.js';

/** The articles among which a search finds hits. */
export interface Searched {
  /** For a `from` clause: rows with the columns of `article_search`. */
  readonly rows: string;
  /** A query for their approximate number. */
  readonly size: string;
  /** The parameter with the spellings of each word, as JSON; absent if each word has one. */
  readonly spellings?: string;
}

const PUBLIC: Searched = {
  rows: 'article_search',
  size: `select greatest(reltuples, 0) from pg_class where oid = 'article_search'::regclass`,
};

/**
 * Private articles have a search index of their own, of which only the rows of their author are searched.
 * @param owner an SQL expression for the id of the reader who searches their own articles; null: a search of the public ones
 * @param isPrivate undefined: both
 */
export function searchedOf(owner: string | null, isPrivate: boolean | undefined): Searched {
  if (owner === null || isPrivate === false) return PUBLIC;
  const rows = `select * from private_article_search where member_id = ${owner}`;
  const size = `select private_articles from member_counts where member_id = ${owner}`;
  if (isPrivate) return { rows: `(${rows})`, size };
  return { rows: `(select * from ${PUBLIC.rows} union all ${rows})`, size: `select (${PUBLIC.size}) + (${size})` };
}

const KEYS = 'search_keys(s.title, s.tags, s.content)';

/** Number of newest articles whose full text is scanned for hits, about 30 µs each. */
const SCANNED_ARTICLES = 300;
/** Bytes. The scan stops before a longer text: reading it would take longer than the scan saves. */
const MAX_SCANNED_TEXT_BYTES = 30_000;
/** Number of newest articles whose titles are scanned. Titles are stored in the table itself (no TOAST): less than 1 µs each. */
const SCANNED_TITLES = 2000;

/**
 * Hits with all words in title or tags are few; they are ranked and sorted (`head`). The rest of the page is filled with the other
 * hits, newest first. The indexed keys alone decide what is a hit, so no text is read, and the table is narrow (a text of more than
 * 2 kB is stored out of line, TOAST), so counting or sorting all hits is cheap even if most articles match.
 *
 * If that many articles are hits, the newest hits are among the newest articles. Those are scanned first, for the phrase in the title
 * (`titled`) and for the rows missing after `head` (`newest`); all hits are sorted only if the scan does not find enough. The page
 * is the same in both cases. Those of a distant page, and of words with several spellings, for which nothing is scanned, are read once, to be counted
 * and sorted; storing them would delay other pages.
 * Parameters: $1 the keyword, $2 the page size, $3 the offset; then those of the filter.
 * @param searched which articles, see `searchedOf`
 * @param filter empty, or conditions on `s`, each preceded by ` and `
 * @param offset the value of $3
 */
export function searchSql(searched: Searched, filter: string, offset: number): string {
  const isStored = offset > SCANNED_ARTICLES || searched.spellings !== undefined;
  const found = isStored ? 'hits s where true' : hits(searched, filter);
  const stored = `hits as materialized (select s.article_id, s.created_at from ${hits(searched, filter)}), `;
  return `with ${query(searched)}, ${isStored ? stored : ''}${titled(searched, filter, found)}, ${head(searched, filter)}, ${plan(searched)}, ${newest(searched, filter)}
  select (select words from q) as words, (select total from counted) as total, case
    when (select is_enough from top)
      then array(select article_id from titled order by place limit $2 offset $3)
    else
      array(select article_id from head order by rank desc, created_at desc, article_id desc limit $2 offset $3) ||
      case when (select is_enough from scanned)
        then array(select article_id from newest order by place limit $2 offset (select skipped from plan))
        else array(
          select s.article_id from ${found} and not exists (select from head h where h.article_id = s.article_id)
          order by s.created_at desc, s.article_id desc
          limit (select missing from plan) offset (select skipped from plan)
        )
      end
    end as ids`;
}

/** The ids of all hits as `ids`, in no order, their number as `total`, and the `words` of the keyword. */
export function allHitsSql(searched: Searched, filter: string): string {
  return `with ${query(searched)}, hits as materialized (select s.article_id from ${hits(searched, filter)})
  select (select words from q) as words, (select count(*) from hits) as total, array(select article_id from hits) as ids`;
}

/** Characters of a passage before the first match, and in total: longer than a snippet and a removed part of a word. */
const PASSAGE_LEAD = 60;
const PASSAGE_LENGTH = 260;

/**
 * The part of an article's visible text around the first match of one of the words, or its beginning if only title and tags match; preceded by an
 * ellipsis if it is not the beginning. A position in the folded text is one less than in the visible text. An article without a visible text
 * has only its folded source. The description is after the text, as in the folded one.
 * @param article an alias of the articles
 * @param words an SQL expression
 */
export function passageSql(searched: Searched, article: string, words: string): string {
  return `(select case when first.at > ${PASSAGE_LEAD} then '…' else '' end ||
      substr(coalesce(t.text || coalesce(' ' || ${article}.description, ''), s.content), greatest(first.at - ${PASSAGE_LEAD}, 1), ${PASSAGE_LENGTH})
    from ${searched.rows} s left join article_texts t on t.article_id = s.article_id,
      lateral (select coalesce(min(nullif(strpos(${compared(searched, 's.content')}, word), 0)), 1) as at from unnest(${words}) word) first
    where s.article_id = ${article}.id)`;
}

function query({ spellings }: Searched): string {
  if (spellings !== undefined) return spelledQuery(spellings);
  return `q as materialized (
    select phrase, words, exists (select from unnest(words) word where length(word) > 16) as has_long_word,
           search_query(phrase, '{""}') as anywhere, search_query(phrase, array[E'\\x01', E'\\x02']) as in_head
    from search_fold($1) phrase, string_to_array(phrase, ' ') words
  )`;
}

/** A text matches a word if it has one of its spellings. Each one is looked up in the index; what is compared besides has one spelling. */
function spelledQuery(spellings: string): string {
  const allWords = (marks: string) => `(
      select string_agg((
        select '(' || string_agg('(' || search_query(search_fold(spelling), ${marks})::text || ')', ' | ') || ')'
        from jsonb_array_elements_text(alternatives) spelling), ' & ')::tsquery
      from jsonb_array_elements(${spellings}::jsonb) alternatives)`;
  return `q as materialized (
    select phrase, words, exists (select from unnest(words) word where length(word) > 16) as has_long_word,
           ${allWords(`'{""}'`)} as anywhere, ${allWords(`array[E'\\x01', E'\\x02']`)} as in_head
    from (select ${inOneSpelling('search_fold($1)')}) folded(phrase), string_to_array(phrase, ' ') words
  )`;
}

function inOneSpelling(text: string): string {
  const quoted = (characters: string) => `'${characters.replaceAll("'", "''")}'`;
  return `translate(${text}, ${quoted(SPELLINGS.from)}, ${quoted(SPELLINGS.to)})`;
}

/** A folded text as the words are. */
function compared({ spellings }: Searched, text: string): string {
  return spellings === undefined ? text : inOneSpelling(text);
}

function hits({ rows }: Searched, filter: string): string {
  return `${rows} s where ${KEYS} @@ (select anywhere from q)${filter}`;
}

function titled(searched: Searched, filter: string, found: string): string {
  return `counted as materialized (
    select (select count(*) from ${found}) as total, (${searched.size}) as articles
  ),
  titled as materialized (
    select s.article_id, row_number() over (order by s.created_at desc, s.article_id desc) as place
    from (
      select * from ${searched.rows} r order by created_at desc, article_id desc
      limit (select case when ${scans(searched)}total * 5 > articles then ${SCANNED_TITLES} else 0 end from counted)
    ) s
    where strpos(s.title, (select phrase from q)) > 0${filter}
    limit $2::bigint + $3::bigint
  ),
  top as materialized (select count(*) = $2 + $3 as is_enough from titled)`;
}

/** A condition: the index decides about words with several spellings, so that the newest articles are not scanned for them. */
function scans({ spellings }: Searched): string {
  return spellings === undefined ? '' : 'false and ';
}

function head(searched: Searched, filter: string): string {
  const { rows } = searched;
  return `head as materialized (
    select s.article_id, s.created_at,
           case when strpos(${compared(searched, 's.title')}, (select phrase from q)) > 0 then 3
                when (select cardinality(words) from q) > 1 and ${hasAllWords(compared(searched, 's.title'))} then 2
                else 1 end as rank
    from ${rows} s
    where not (select is_enough from top) and ${KEYS} @@ (select in_head from q)
      and (not (select has_long_word from q) or ${hasAllWords(compared(searched, "s.title || ' ' || s.tags"))})${filter}
  )`;
}

/** The part of the page that `head` does not fill: `missing` hits after `skipped` others; `scans_newest`: whether to scan the newest articles. */
function plan(searched: Searched): string {
  return `plan as materialized (
    select skipped, missing,
           -- If hits are evenly distributed, the requested ones are expected within two thirds of the scanned articles.
           ${scans(searched)}missing > 0 and (skipped + missing) * articles < (total - ranked) * ${(SCANNED_ARTICLES * 2) / 3} as scans_newest
    from counted, top,
      lateral (select count(*) as ranked from head) ranked,
      lateral (select greatest($3 - ranked, 0) as skipped,
                      case when is_enough then 0 else
                        least($2, greatest($2 + $3 - ranked, 0), greatest(total - greatest(ranked, $3), 0)) end as missing) part
  )`;
}

/** Uses `not in`, because a join would read all candidate rows before it returns the first. */
function newest({ rows }: Searched, filter: string): string {
  return `reach as materialized (
    select case when scans_newest and not (select has_long_word from q) then (
      select count(*) from (
        select bool_and(octet_length(content) <= ${MAX_SCANNED_TEXT_BYTES}) over (order by created_at desc, article_id desc) as is_short
        from (select * from ${rows} r order by created_at desc, article_id desc limit ${SCANNED_ARTICLES}) s
      ) s where is_short
    ) else 0 end as articles from plan
  ),
  newest as materialized (
    select s.article_id, row_number() over (order by s.created_at desc, s.article_id desc) as place
    from (
      select article_id, created_at, member_id, category_id, title || ' ' || tags || ' ' || content as body
      from ${rows} r order by created_at desc, article_id desc limit (select articles from reach)
    ) s
    where s.article_id not in (select article_id from head) and ${hasAllWords('s.body')}${filter}
    limit (select skipped + missing from plan)
  ),
  scanned as materialized (
    select missing > 0 and (select count(*) from newest) = skipped + missing as is_enough from plan
  )`;
}

function hasAllWords(text: string): string {
  return `not exists (select from unnest((select words from q)) word where strpos(${text}, word) = 0)`;
}
