-- feed_stamp
-- (bigint) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          *
        from
          articles a
        order by
          a.created_at desc,
          a.id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;

-- feed_stamp_of_language
-- (bigint, text) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          *
        from
          articles a
        where
          a.primary_language = any (array[split_part($2::text, '-', 1)])
          and (
            strpos($2::text, '-') = 0
            or a.language = $2::text
          )
        order by
          a.primary_language desc,
          a.created_at desc,
          a.id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;

-- member_feed_stamp
-- (bigint, bigint) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  (
    select
      id
    from
      members
    where
      id = $2
      and not (
        pending_since is not null
        and email_verified_at is null
      )
  ) m,
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          *
        from
          articles a
        where
          a.member_id = m.id
        order by
          a.created_at desc,
          a.id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;

-- member_feed_stamp_of_language
-- (bigint, bigint, text) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  (
    select
      id
    from
      members
    where
      id = $2
      and not (
        pending_since is not null
        and email_verified_at is null
      )
  ) m,
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          *
        from
          articles a
        where
          a.member_id = m.id
          and (
            a.primary_language = split_part($3::text, '-', 1)
            and (
              strpos($3::text, '-') = 0
              or a.language = $3::text
            )
          )
        order by
          a.created_at desc,
          a.id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;

-- tag_feed_stamp
-- (bigint, text) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  (
    select
      id
    from
      tags
    where
      name = $2
      and article_count > 0
  ) t,
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          a.*
        from
          article_tags x
          join articles a on a.id = x.article_id
        where
          x.tag_id = t.id
        order by
          x.created_at desc,
          x.article_id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;

-- tag_feed_stamp_of_language
-- (bigint, text, text) returns (text)
select
  (
    coalesce(f.articles::text, '') || '.' || coalesce(
      (
        extract(
          epoch
          from
            (
              select
                changed_at
              from
                name_stamps
            )
        ) * 1000000
      )::bigint::text,
      ''
    ) || ' ' || extract(
      epoch
      from
        greatest(
          'epoch',
          j.last,
          (
            select
              changed_at
            from
              name_stamps
          )
        )
    ) || ' ' || extract(
      epoch
      from
        clock_timestamp()
    )
  ) as stamp
from
  (
    select
      id
    from
      tags
    where
      name = $2
      and article_count > 0
  ) t,
  lateral (
    select
      md5(
        string_agg(
          concat(
            a.id,
            ':',
            (
              extract(
                epoch
                from
                  a.revised_at
              ) * 1000000
            )::bigint
          ),
          ','
          order by
            a.created_at desc,
            a.id desc
        )
      ) as articles
    from
      (
        select
          a.*
        from
          article_tags x
          join articles a on a.id = x.article_id
        where
          x.tag_id = t.id
          and (
            a.primary_language = split_part($3::text, '-', 1)
            and (
              strpos($3::text, '-') = 0
              or a.language = $3::text
            )
          )
        order by
          x.created_at desc,
          x.article_id desc
        limit
          $1
      ) a
  ) f
  cross join (
    select
      (
        select
          max(changed_at)
        from
          journal_stamps
        where
          kind = 'articles'
      ) as last
  ) j;
