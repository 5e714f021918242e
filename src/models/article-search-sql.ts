/** The statement that finds articles by words. docs/search.md tells what it costs. */

const KEYS = 'search_keys(s.is_long, s.title, s.tags, s.content)';
const TEXT = "s.title || ' ' || s.tags || ' ' || s.content";

/** How many of the newest articles are looked at for hits at most: some 30 µs each, since their texts are read. */
const WALK = 300;
/** The same for titles, which lie in the table: less than 1 µs each. */
const TITLE_WALK = 2000;

/**
 * Hits with all words in title or tags, few as they are, are ranked and sorted (`head`); the page is filled up from the
 * rest, newest first. The keys are exact, so that no text is looked at, and the table is narrow (a text of more than 2 kB
 * lies elsewhere), so that passing all hits to count or sort them costs little even where they are most of the articles.
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

function query(): string {
  return `q as materialized (
    select phrase, words, exists (select from unnest(words) word where length(word) > 16) as has_long_word,
           -- Texts that are too long for keys are hits until they are looked at.
           search_query(phrase, '{""}') || case when phrase <> '' then E'\\x03'::tsquery end as anywhere,
           search_query(phrase, array[E'\\x01', E'\\x02']) as in_head
    from search_fold($1) phrase, string_to_array(phrase, ' ') words
  )`;
}

function hits(filter: string): string {
  return `article_search s where ${KEYS} @@ (select anywhere from q)
    and (not (s.is_long or (select has_long_word from q)) or ${hasAllWords(TEXT)})${filter}`;
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
  return `newest as materialized (
    select s.article_id, row_number() over (order by s.created_at desc, s.article_id desc) as place
    from (
      select * from article_search order by created_at desc, article_id desc
      limit (select case when is_walk then ${WALK} else 0 end from plan)
    ) s
    where s.article_id not in (select article_id from head) and ${hasAllWords(TEXT)}${filter}
    limit (select skipped + missing from plan)
  ),
  walked as materialized (
    select is_walk and (select count(*) from newest) = skipped + missing as is_enough from plan
  )`;
}

function hasAllWords(text: string): string {
  return `not exists (select from unnest((select words from q)) word where strpos(${text}, word) = 0)`;
}
