-- count_unfilled_articles
-- (bigint) returns (bigint)
select
  count(*) as total
from
  all_articles a
where
  (
    a.slug is null
    or a.word_count is null
  )
  and a.id > $1;

-- fill_articles
-- (bigint[], text[], integer[], integer[]) returns ()
update all_articles a
set
  slug = coalesce(a.slug, v.slug),
  word_count = coalesce(a.word_count, v.words),
  reading_minutes = coalesce(a.reading_minutes, v.minutes)
from
  unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[]) as v (id, slug, words, minutes)
where
  a.id = v.id;

-- fill_lock
-- () returns (void)
select
  pg_advisory_xact_lock(4270021);

-- unfilled_articles
-- (bigint, bigint) returns (bigint, character varying, text)
select
  a.id,
  a.title,
  case
    when a.word_count is null then t.text
  end as text
from
  all_articles a
  left join article_texts t on t.article_id = a.id
  and t.article_id > $1
where
  (
    a.slug is null
    or a.word_count is null
  )
  and (
    a.slug is null
    or t.article_id is not null
  )
  and a.id > $1
order by
  a.id
limit
  $2
for no key update of
  a skip locked;
