-- sitemap_part
-- (bigint, bigint) returns (text, text)
with
  part as materialized (
    select
      id,
      updated_at,
      slug,
      translation_group_id
    from
      articles
    order by
      id
    limit
      $1
    offset
      $2
  )
select
  (
    select
      string_agg(
        a.id || ' ' || to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || a.slug || ' ' || coalesce(a.translation_group_id::text, ''),
        E'\n'
        order by
          a.id
      )
    from
      part a
  ) as articles,
  (
    select
      string_agg(
        b.id || ' ' || b.language || ' ' || b.slug || ' ' || b.translation_group_id,
        E'\n'
        order by
          b.language
      )
    from
      articles b
    where
      b.translation_group_id = any (
        array(
          select distinct
            translation_group_id
          from
            part
        )
      )
  ) as translations;

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
