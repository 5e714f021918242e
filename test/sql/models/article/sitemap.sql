-- sitemap_part
-- (bigint, bigint) returns (text)
select
  string_agg(
    a.id || ' ' || to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || a.slug,
    E'\n'
    order by
      a.id
  ) as articles
from
  (
    select
      id,
      updated_at,
      slug
    from
      articles
    order by
      id
    limit
      $1
    offset
      $2
  ) a;

-- sitemap_state
-- () returns (text, integer)
select
  (
    coalesce(s.total::text, '') || ' ' || extract(
      epoch
      from
        greatest('epoch', s.last)
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp,
  (
    select
      coalesce(sum(articles), 0)::integer
    from
      article_totals
  ) as total
from
  (
    select
      sum(
        (
          extract(
            epoch
            from
              changed_at
          ) * 1000000
        )::bigint
      ) as total,
      max(changed_at) as last
    from
      journal_stamps
    where
      kind = 'articles'
  ) s;
