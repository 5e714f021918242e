-- articles of several members
-- (bigint[], timestamp with time zone, bigint, integer) returns (bigint, integer, text)
select
  o.id,
  coalesce(
    (
      select
        c.articles
      from
        member_counts c
      where
        c.member_id = o.id
    ),
    0
  ) as total,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          a.content,
          a.key,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            articles a
          where
            a.member_id = any (array[o.id])
            and (a.created_at, a.id) < ($2::timestamptz, $3::bigint)
          order by
            a.member_id desc,
            a.created_at desc,
            a.id desc
          limit
            $4::integer
        )
      )
  )::text as contents
from
  unnest($1::bigint[]) o (id);

-- connection of a language of a member
-- (bigint, text, timestamp with time zone, bigint, integer) returns (integer, text)
select
  (
    select
      0
  )::integer as total,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            articles a
          where
            a.member_id = any (array[$1::bigint])
            and (
              a.primary_language = split_part($2::text, '-', 1)
              and (
                strpos($2::text, '-') = 0
                or a.language = $2::text
              )
            )
            and (a.created_at, a.id) < ($3::timestamptz, $4::bigint)
          order by
            a.member_id desc,
            a.created_at desc,
            a.id desc
          limit
            $5::integer
        )
      )
  )::text as contents;

-- connection of own private articles by likes
-- (bigint, integer) returns (integer, text)
select
  (
    select
      0
  )::integer as total,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (r.likes)::text
        )
        order by
          r.likes desc,
          a.id desc
      )
    from
      all_articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            r.article_id
          from
            article_counts r
          where
            r.member_id = any (array[$1::bigint])
            and r.is_private
          order by
            r.member_id asc,
            r.likes asc,
            r.article_id asc
          limit
            $2::integer
        )
      )
  )::text as contents;

-- connection of public articles
-- (timestamp with time zone, bigint, integer) returns (integer, text)
select
  (
    select
      coalesce(sum(t.articles), 0)
    from
      article_totals t
  )::integer as total,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          a.content,
          a.key,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            articles a
          where
            (a.created_at, a.id) < ($1::timestamptz, $2::bigint)
          order by
            a.created_at desc,
            a.id desc
          limit
            $3::integer
        )
      )
  )::text as contents;

-- page by tag and likes
-- (text, timestamp with time zone, timestamp with time zone, integer, bigint) returns (integer, text, text)
with
  matching as materialized (
    select
      y.article_id as id
    from
      article_tags y
    where
      y.tag_id = (
        select
          t.id
        from
          tags t
        where
          t.name = $1::text
      )
      and y.created_at >= $2::timestamptz
      and y.created_at < $3::timestamptz
    limit
      100000 + 1
  ),
  size as materialized (
    select
      count(*) > 100000 as is_exceeded
    from
      matching
  ),
  first as materialized (
    select
      r.article_id as id,
      r.likes as key
    from
      article_counts r
    where
      not r.is_private
      and (
        select
          is_exceeded
        from
          size
      )
    order by
      r.likes desc,
      r.article_id desc
    limit
      100000
  ),
  listed as materialized (
    select
      r.article_id as id,
      r.likes as key
    from
      article_counts r
    where
      r.article_id = any (
        array(
          select
            id
          from
            matching
          where
            not (
              select
                is_exceeded
              from
                size
            )
        )
      )
      and not r.is_private
    union all
    select
      id,
      key
    from
      first
    where
      (
        id in (
          select
            y.article_id
          from
            article_tags y
          where
            y.article_id = any (
              array(
                select
                  id
                from
                  first
              )
            )
            and y.tag_id = (
              select
                t.id
              from
                tags t
              where
                t.name = $1::text
            )
            and y.created_at >= $2::timestamptz
            and y.created_at < $3::timestamptz
        )
      ) is true
  )
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (r.likes)::text
        )
        order by
          r.likes desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            l.id
          from
            listed l
          order by
            l.key desc,
            l.id desc
          limit
            case
              when $5::bigint < t.total then $4::integer
              else 0
            end
          offset
            $5::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          count(*)
        from
          listed
      ) as total
    offset
      0
  ) t;

-- page by tag and time
-- (timestamp with time zone, timestamp with time zone, text, integer, bigint, timestamp with time zone, timestamp with time zone, text) returns (integer, text, text)
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          a.content,
          a.key,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            article_tags x
            join articles a on a.id = x.article_id
          where
            x.tag_id = (
              select
                t.id
              from
                tags t
              where
                t.name = $3::text
            )
            and x.created_at >= $1::timestamptz
            and x.created_at < $2::timestamptz
          order by
            a.created_at desc,
            a.id desc
          limit
            case
              when $5::bigint < t.total then $4::integer
              else 0
            end
          offset
            $5::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          count(*)
        from
          article_tags x
          join articles a on a.id = x.article_id
        where
          x.tag_id = (
            select
              t.id
            from
              tags t
            where
              t.name = $8::text
          )
          and x.created_at >= $6::timestamptz
          and x.created_at < $7::timestamptz
      ) as total
    offset
      0
  ) t;

-- page by time and likes
-- (timestamp with time zone, integer, bigint) returns (integer, text, text)
with
  matching as materialized (
    select
      y.id as id
    from
      articles y
    where
      y.created_at >= $1::timestamptz
    limit
      100000 + 1
  ),
  size as materialized (
    select
      count(*) > 100000 as is_exceeded
    from
      matching
  ),
  first as materialized (
    select
      r.article_id as id,
      r.likes as key
    from
      article_counts r
    where
      not r.is_private
      and (
        select
          is_exceeded
        from
          size
      )
    order by
      r.likes desc,
      r.article_id desc
    limit
      100000
  ),
  listed as materialized (
    select
      r.article_id as id,
      r.likes as key
    from
      article_counts r
    where
      r.article_id = any (
        array(
          select
            id
          from
            matching
          where
            not (
              select
                is_exceeded
              from
                size
            )
        )
      )
      and not r.is_private
    union all
    select
      id,
      key
    from
      first
    where
      (
        id in (
          select
            y.id
          from
            articles y
          where
            y.id = any (
              array(
                select
                  id
                from
                  first
              )
            )
            and y.created_at >= $1::timestamptz
        )
      ) is true
  )
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (r.likes)::text
        )
        order by
          r.likes desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            l.id
          from
            listed l
          order by
            l.key desc,
            l.id desc
          limit
            case
              when $3::bigint < t.total then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          count(*)
        from
          listed
      ) as total
    offset
      0
  ) t;

-- page of a category by likes in a period
-- (bigint, integer, bigint, bigint) returns (integer, text, text)
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (d.likes)::text
        )
        order by
          d.likes desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
      join article_trends d on d.article_id = a.id
      and d.days = 7
      and d.likes > 0
    where
      a.id = any (
        array(
          select
            d.article_id
          from
            article_trends d
          where
            not d.is_private
            and d.days = 7
            and d.likes > 0
            and d.category_id = $1::bigint
          order by
            d.likes desc,
            d.article_id desc
          limit
            case
              when $3::bigint < t.total then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          count(*)
        from
          article_trends d
        where
          not d.is_private
          and d.days = 7
          and d.likes > 0
          and d.category_id = $4::bigint
      ) as total
    offset
      0
  ) t;

-- page of a language
-- (text, integer, bigint, text) returns (integer, text, text)
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            articles a
          where
            a.primary_language = any (array[split_part($1::text, '-', 1)])
            and (
              strpos($1::text, '-') = 0
              or a.language = $1::text
            )
          order by
            a.primary_language desc,
            a.created_at desc,
            a.id desc
          limit
            case
              when $3::bigint < t.total then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          count(*)
        from
          articles a
        where
          (
            a.primary_language = split_part($4::text, '-', 1)
            and (
              strpos($4::text, '-') = 0
              or a.language = $4::text
            )
          )
      ) as total
    offset
      0
  ) t;

-- page of own articles
-- (bigint, integer, bigint, bigint) returns (integer, text, text)
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      all_articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            all_articles a
          where
            a.member_id = any (array[$1::bigint])
          order by
            a.member_id desc,
            a.created_at desc,
            a.id desc
          limit
            case
              when $3::bigint < t.total then $2::integer
              else 0
            end
          offset
            $3::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          coalesce(
            (
              select
                c.articles + c.private_articles
              from
                member_counts c
              where
                c.member_id = $4::bigint
            ),
            0
          )
      ) as total
    offset
      0
  ) t;

-- page of public articles
-- (integer, bigint) returns (integer, text, text)
select
  t.total::integer as total,
  (
    select
      (
        coalesce(s.total::text, '') || '.' || coalesce(
          extract(
            epoch
            from
              coalesce(
                (
                  select
                    changed_at
                  from
                    name_stamps
                ) - 'epoch',
                '0'
              )
          )::text,
          ''
        ) || ' ' || extract(
          epoch
          from
            greatest(
              'epoch',
              s.last,
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
      )
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
      ) s
  ) as stamp,
  (
    select
      json_agg(
        json_build_array(
          a.id,
          a.member_id,
          m.nickname,
          m.profile_image,
          a.category_id,
          k.name,
          a.title,
          a.slug,
          a.word_count,
          a.reading_minutes,
          a.description,
          a.canonical_url,
          a.language,
          a.excerpt,
          case
            when a.excerpt is null then left(a.content, 4000)
          end,
          null,
          null,
          null,
          a.image,
          a.image_width,
          a.image_height,
          a.image_alt,
          array(
            select
              t.name
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              x.article_id = a.id
            order by
              x.position
          )::text[],
          a.comment_count,
          coalesce(r.likes, 0) - case
            when exists (
              select
              from
                withdrawn_members
            ) then reactions_of_withdrawn (r.article_id, 'LIKE')
            else 0
          end,
          coalesce(r.views, 0),
          a.series_id,
          null,
          null,
          a.ai_summary,
          a.is_private,
          a.removed_at,
          a.revision,
          a.created_at at time zone 'UTC',
          a.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                a.created_at
            ) * 1000
          )::bigint::text
        )
        order by
          a.created_at desc,
          a.id desc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
    where
      a.id = any (
        array(
          select
            a.id
          from
            articles a
          order by
            a.created_at desc,
            a.id desc
          limit
            case
              when $2::bigint < t.total then $1::integer
              else 0
            end
          offset
            $2::bigint
        )
      )
  )::text as contents
from
  (
    select
      (
        select
          coalesce(sum(t.articles), 0)
        from
          article_totals t
      ) as total
    offset
      0
  ) t;
