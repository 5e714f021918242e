-- a series with its articles
-- (bigint, reader, integer, bigint) returns (json, text, text)
select
  json_build_array(
    s.id,
    s.member_id,
    s.title,
    s.description,
    s.total,
    case
      when s.member_id = ($2::reader).article_reader_id then array(
        select
          a.id
        from
          all_articles a
        where
          a.series_id = s.id
        order by
          a.series_position,
          a.id
      )
    end,
    s.updated_at at time zone 'UTC'
  ) as series,
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
          (p.place)::text
        )
        order by
          p.place asc,
          a.id asc
      )
    from
      articles a
      join members m on m.id = a.member_id
      join categories k on k.id = a.category_id
      left join article_counts r on r.article_id = a.id
      join (
        select
          id,
          row_number() over (
            order by
              series_position,
              id
          ) as place
        from
          articles
        where
          series_id = $1::bigint
      ) p on p.id = a.id
    where
      a.id = any (
        array(
          select
            p.id
          from
            (
              select
                id,
                row_number() over (
                  order by
                    series_position,
                    id
                ) as place
              from
                articles
              where
                series_id = $1::bigint
            ) p
          order by
            p.place asc,
            p.id asc
          limit
            case
              when $4::bigint < s.total then $3::integer
              else 0
            end
          offset
            $4::bigint
        )
      )
  )::text as contents
from
  (
    select
      s.*,
      (
        select
          count(*)::integer
        from
          articles a
        where
          a.series_id = s.id
      ) as total
    from
      series s
    where
      s.id = $1::bigint
    offset
      0
  ) s;

-- delete_series
-- (bigint, bigint) returns (json)
select
  delete_series ($1, $2) as saved;

-- public_series_by_id
-- (bigint[]) returns (bigint, bigint, character varying, character varying, integer, json, timestamp with time zone)
select
  s.id as "id",
  s.member_id as "memberId",
  s.title as "title",
  s.description as "description",
  (
    select
      count(*)::integer
    from
      articles a
    where
      a.series_id = s.id
  ) as "articleCount",
  to_json(public_articles_of_series (s.id)) as "articleIds",
  s.updated_at as "updatedAt"
from
  series s
where
  s.id = any ($1::bigint[]);

-- save_series
-- (bigint, bigint, text, text, bigint[]) returns (json)
select
  save_series ($1, $2, $3, $4, $5) as saved
where
  require_not_suspended ($1);

-- series of a member
-- (bigint[], reader, integer, bigint) returns (bigint, integer, text, text)
select
  t.id,
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
          s.id,
          s.member_id,
          s.title,
          s.description,
          (
            select
              count(*)::integer
            from
              articles a
            where
              a.series_id = s.id
          ),
          case
            when s.member_id = ($2::reader).article_reader_id then array(
              select
                a.id
              from
                all_articles a
              where
                a.series_id = s.id
              order by
                a.series_position,
                a.id
            )
          end,
          s.updated_at at time zone 'UTC',
          (
            extract(
              epoch
              from
                s.updated_at
            ) * 1000
          )::bigint::text
        )
        order by
          s.updated_at desc,
          s.id desc
      )
    from
      series s
    where
      s.id = any (
        array(
          select
            s.id
          from
            series s
          where
            s.member_id = t.id
          order by
            s.updated_at desc,
            s.id desc
          limit
            case
              when $4::bigint < t.total then $3::integer
              else 0
            end
          offset
            $4::bigint
        )
      )
  )::text as contents
from
  (
    select
      m.id,
      (
        select
          count(*)
        from
          series s
        where
          s.member_id = m.id
      ) as total
    from
      members m
    where
      m.id = any ($1::bigint[])
      and (
        m.id = ($2::reader).article_reader_id
        or not (
          pending_since is not null
          and email_verified_at is null
        )
      )
    offset
      0
  ) t;

-- series_by_id
-- (bigint[]) returns (bigint, bigint, character varying, character varying, integer, bigint[], timestamp with time zone)
select
  s.id as "id",
  s.member_id as "memberId",
  s.title as "title",
  s.description as "description",
  (
    select
      count(*)::integer
    from
      articles a
    where
      a.series_id = s.id
  ) as "articleCount",
  null::bigint[] as "articleIds",
  s.updated_at as "updatedAt"
from
  series s
where
  s.id = any ($1::bigint[]);
