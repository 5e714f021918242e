-- last_full_hour
-- () returns (text)
select
  date_trunc('hour', now())::text as moment;

-- plan_by_index
-- () returns (text, text)
select
  set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true);

-- refresh_trends
-- (bigint, timestamp with time zone) returns (bigint, boolean)
with
  w as materialized (
    select
      ($2::timestamptz at time zone 'UTC')::date - n as day,
      n
    from
      generate_series(0, 29) n
  ),
  bound as materialized (
    select
      min(
        least(
          (
            select
              x.article_id
            from
              reactions x
            where
              x.kind = 'LIKE'
              and (x.created_at at time zone 'UTC')::date = w.day
              and x.article_id > $1
            order by
              x.article_id
            offset
              249
            limit
              1
          ),
          (
            select
              x.article_id
            from
              article_view_days x
            where
              x.day = w.day
              and x.article_id > $1
            order by
              x.article_id
            offset
              249
            limit
              1
          )
        )
      ) as last
    from
      w
  ),
  reach as materialized (
    select
      coalesce(last, 9223372036854775807) as last
    from
      bound
  ),
  sums as materialized (
    select
      u.article_id,
      p.days,
      sum(u.likes)::integer as likes,
      sum(u.views)::integer as views
    from
      (
        select
          l.article_id,
          w.n,
          l.likes,
          0 as views
        from
          w
          cross join lateral (
            select
              x.article_id,
              count(*) as likes
            from
              reactions x
            where
              x.kind = 'LIKE'
              and (x.created_at at time zone 'UTC')::date = w.day
              and x.article_id > $1
              and x.article_id <= (
                select
                  last
                from
                  reach
              )
              and x.created_at < $2::timestamptz
            group by
              1
          ) l
        union all
        select
          v.article_id,
          w.n,
          0,
          v.views
        from
          w
          cross join lateral (
            select
              v.article_id,
              v.views
            from
              article_view_days v
            where
              v.day = w.day
              and v.article_id > $1
              and v.article_id <= (
                select
                  last
                from
                  reach
              )
          ) v
      ) u
      join (
        values
          (1),
          (7),
          (30)
      ) p (days) on u.n < p.days
    group by
      1,
      2
  ),
  missing as materialized (
    select
      s.*
    from
      sums s
    where
      not exists (
        select
        from
          article_trends d
        where
          d.article_id = s.article_id
          and d.days = s.days
      )
  ),
  locked as materialized (
    select
      a.id,
      a.is_private,
      a.member_id,
      a.category_id
    from
      all_articles a
    where
      a.id = any (
        array(
          select
            article_id
          from
            missing
        )
      )
    order by
      a.id
    for share
  ),
  added as (
    insert into
      article_trends (article_id, days, likes, views, is_private, member_id, category_id)
    select
      s.article_id,
      s.days,
      s.likes,
      s.views,
      a.is_private,
      a.member_id,
      a.category_id
    from
      missing s
      join locked a on a.id = s.article_id
    on conflict (article_id, days) do nothing
    returning
      is_private
  ),
  kept as (
    update article_trends d
    set
      likes = s.likes,
      views = s.views
    from
      sums s
    where
      d.article_id > $1
      and d.article_id <= (
        select
          last
        from
          reach
      )
      and d.article_id = s.article_id
      and d.days = s.days
      and (d.likes, d.views) <> (s.likes, s.views)
    returning
      d.is_private
  ),
  removed as (
    delete from article_trends d
    where
      d.article_id > $1
      and d.article_id <= (
        select
          last
        from
          reach
      )
      and not exists (
        select
        from
          sums s
        where
          s.article_id = d.article_id
          and s.days = d.days
      )
    returning
      d.is_private
  )
select
  last,
  exists (
    select
    from
      (
        select
          *
        from
          added
        union all
        select
          *
        from
          kept
        union all
        select
          *
        from
          removed
      ) c
    where
      not is_private
  ) as "isVisible"
from
  bound;

-- renew_lists
-- () returns (void)
select
  stamp_journal ('counts');
