/** The statements that find articles by words. docs/search.md describes what they cost. */

const KEYS = 'search_keys(s.is_long, s.title, s.tags, s.content)';

/** How many of the newest articles are searched for hits by their texts, about 30 µs each. */
const WALK = 300;
/** Bytes. The walk ends before a longer text: reading it would take longer than the walk saves. */
const LONGEST_WALKED_TEXT = 30_000;
/** The same for titles, which are in the table itself: less than 1 µs each. */
const TITLE_WALK = 2000;

/**
 * Hits with all words in title or tags, few as they are, are ranked and sorted (`head`); the page is filled up from the
 * rest, newest first. The keys decide what is a hit, so that no text is read, and the table is narrow (a text of more than
 * 2 kB is stored elsewhere), so that passing all hits to count or sort them costs little even where they are most of the
 * articles.
 *
 * Where hits are that many, the newest of them are among the newest articles. Those are looked at first, for the phrase in
 * the title (`titled`) and for what is missing after `head` (`newest`); only if they do not suffice is all of it sorted.
 * Either way the page is the same.
 *
 * Values: $1 the keyword, $2 the page's size, $3 its offset; those of the filter after them.
 * @param filter nothing, or conditions on `s` (article_search), each after ` and `
 */
export function searchSql(filter: string): string {
  return `with ${query()}, ${titled(filter)}, ${head(filter)}, ${plan()}, ${newest(filter)}
  select (select total from counted) as total, case
    when (select is_enough from top)
      then array(select article_id from titled order by place limit $2 offset $3)
    else
      array(select article_id from head order by rank desc, created_at desc, article_id desc limit $2 offset $3) ||
      case when (select is_enough from walked)
        then array(select article_id from newest order by place limit $2 offset (select skipped from plan))
        else array(
          select s.article_id from ${hits(filter)} and not exists (select from head h where h.article_id = s.article_id)
          order by s.created_at desc, s.article_id desc
          limit (select missing from plan) offset (select skipped from plan)
        )
      end
    end as ids`;
}

/** The ids of all hits in no order, as `ids`, and their number. Values: $1 the keyword; those of the filter after it. */
export function allHitsSql(filter: string): string {
  return `with ${query()}, hits as materialized (select s.article_id from ${hits(filter)})
  select (select count(*) from hits) as total, array(select article_id from hits) as ids`;
}

function query(): string {
  return `q as materialized (
    select phrase, words, exists (select from unnest(words) word where length(word) > 16) as has_long_word,
           search_query(phrase, '{""}') as anywhere, search_query(phrase, array[E'\\x01', E'\\x02']) as in_head
    from search_fold($1) phrase, string_to_array(phrase, ' ') words
  )`;
}

function hits(filter: string): string {
  return `article_search s where ${KEYS} @@ (select anywhere from q)${filter}`;
}

function titled(filter: string): string {
  return `counted as materialized (
    select (select count(*) from ${hits(filter)}) as total,
           (select greatest(reltuples, 0) from pg_class where oid = 'article_search'::regclass) as articles
  ),
  titled as materialized (
    select s.article_id, row_number() over (order by s.created_at desc, s.article_id desc) as place
    from (
      select * from article_search order by created_at desc, article_id desc
      limit (select case when total * 5 > articles then ${TITLE_WALK} else 0 end from counted)
    ) s
    where strpos(s.title, (select phrase from q)) > 0${filter}
    limit $2::bigint + $3::bigint
  ),
  top as materialized (select count(*) = $2 + $3 as is_enough from titled)`;
}

function head(filter: string): string {
  return `head as materialized (
    select s.article_id, s.created_at,
           case when strpos(s.title, (select phrase from q)) > 0 then 3
                when (select cardinality(words) from q) > 1 and ${hasAllWords('s.title')} then 2
                else 1 end as rank
    from article_search s
    where not (select is_enough from top) and ${KEYS} @@ (select in_head from q)
      and (not (select has_long_word from q) or ${hasAllWords("s.title || ' ' || s.tags")})${filter}
  )`;
}

/** The part of the page that `head` does not fill: `missing` hits, after `skipped` others; and whether to walk for them. */
function plan(): string {
  return `plan as materialized (
    select skipped, missing,
           -- Taken as evenly spread, the hits that are wanted are among two thirds of the articles that are walked.
           missing > 0 and (skipped + missing) * articles < (total - ranked) * ${(WALK * 2) / 3} as is_walk
    from counted, top,
      lateral (select count(*) as ranked from head) ranked,
      lateral (select greatest($3 - ranked, 0) as skipped,
                      case when is_enough then 0 else
                        least($2, greatest($2 + $3 - ranked, 0), greatest(total - greatest(ranked, $3), 0)) end as missing) part
  )`;
}

/** `not in`, since a join would read all that may be walked before it gives the first. */
function newest(filter: string): string {
  return `reach as materialized (
    select case when is_walk and not (select has_long_word from q) then (
      select count(*) from (
        select bool_and(octet_length(content) <= ${LONGEST_WALKED_TEXT}) over (order by created_at desc, article_id desc) as is_short
        from (select * from article_search order by created_at desc, article_id desc limit ${WALK}) s
      ) walk where is_short
    ) else 0 end as articles from plan
  ),
  newest as materialized (
    select s.article_id, row_number() over (order by s.created_at desc, s.article_id desc) as place
    from (
      select article_id, created_at, member_id, category_id, title || ' ' || tags || ' ' || content as body
      from article_search order by created_at desc, article_id desc limit (select articles from reach)
    ) s
    where s.article_id not in (select article_id from head) and ${hasAllWords('s.body')}${filter}
    limit (select skipped + missing from plan)
  ),
  walked as materialized (
    select missing > 0 and (select count(*) from newest) = skipped + missing as is_enough from plan
  )`;
}

function hasAllWords(text: string): string {
  return `not exists (select from unnest((select words from q)) word where strpos(${text}, word) = 0)`;
}
