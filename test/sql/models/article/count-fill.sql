-- article_count_fill
-- () returns (bigint, bigint)
select
  after_id as "afterId",
  until_id as "untilId"
from
  article_count_fills;

-- continue_article_counts
-- (bigint) returns ()
update article_count_fills
set
  after_id = $1;

-- end_article_counts
-- () returns ()
delete from article_count_fills;

-- fill_article_counts
-- (bigint, bigint, bigint) returns (bigint)
with
  batch as materialized (
    select
      id,
      is_private,
      member_id,
      category_id,
      month_of (created_at) as month
    from
      all_articles
    where
      id > $1
      and id <= $2
    order by
      id
    limit
      $3
    for key share
  ),
  filled as (
    insert into
      article_counts as c (article_id, is_private, member_id, category_id, month)
    select
      *
    from
      batch
    order by
      id
    on conflict (article_id) do update
    set
      is_private = excluded.is_private,
      member_id = excluded.member_id,
      category_id = excluded.category_id,
      month = excluded.month
    where
      c.is_private is null
      or c.category_id is null
  )
select
  max(id) as last
from
  batch;

-- fill_counts_lock
-- () returns (void)
select
  pg_advisory_xact_lock(4270021);
