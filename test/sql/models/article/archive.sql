-- archive
-- () returns (integer, integer, integer)
select
  extract(
    year
    from
      month
  )::integer as year,
  extract(
    month
    from
      month
  )::integer as month,
  articles as "articleCount"
from
  (
    select
      month,
      sum(articles)::integer as articles
    from
      journal_months
    group by
      month
  ) m
where
  articles > 0
order by
  m.month desc
limit
  1200;

-- member_archive
-- (bigint) returns (integer, integer, integer)
select
  extract(
    year
    from
      month
  )::integer as year,
  extract(
    month
    from
      month
  )::integer as month,
  articles as "articleCount"
from
  member_months m
where
  member_id = $1
  and articles > 0
order by
  m.month desc
limit
  1200;
