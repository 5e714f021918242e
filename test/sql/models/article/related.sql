-- related articles
-- (bigint, integer, reader) returns (text)
select
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
          (array_position(f.ids, a.id))::text
        )
        order by
          array_position(f.ids, a.id) asc,
          a.id asc
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
            unnest(f.ids)
        )
      )
  )::text as contents
from
  (
    select
      array(
        with
          given as materialized (
            select
              array(
                select
                  x.tag_id
                from
                  all_article_tags x
                where
                  x.article_id = a.id
              ) as tags,
              -- Shorter ones, such as "the", say little.
              array(
                select distinct
                  word
                from
                  regexp_split_to_table(search_fold (a.title), '[\s!-/:-@\x5b-\x60{-~‘’“”「」『』·…、。！？]+') word
                where
                  octet_length(word) > 3
                limit
                  10
              ) as words
          ),
          tagged as materialized (
            select distinct
              x.article_id
            from
              given
              cross join unnest(given.tags) w (tag_id)
              cross join lateral (
                select
                  x.article_id
                from
                  article_tags x
                where
                  x.tag_id = w.tag_id
                order by
                  x.created_at desc,
                  x.article_id desc
                limit
                  101
              ) x
            where
              x.article_id <> a.id
          ),
          newest as materialized (
            select
              s.article_id
            from
              article_search s
            where
              (
                select
                  count(*)
                from
                  tagged
              ) < $2::integer
            order by
              s.created_at desc,
              s.article_id desc
            limit
              500
          )
        select
          s.article_id
        from
          article_search s
          cross join given
          cross join lateral (
            select
              (
                select
                  count(*)
                from
                  article_tags y
                where
                  y.article_id = s.article_id
                  and y.tag_id = any (given.tags)
              ) as tags,
              (
                select
                  count(*)
                from
                  unnest(given.words) word
                where
                  strpos(s.title || ' ' || s.tags, word) > 0
              ) as words
            offset
              0
          ) n
        where
          s.article_id = any (
            array(
              select
                article_id
              from
                tagged
              union
              select
                article_id
              from
                newest
              where
                article_id <> a.id
            )
          )
          and (
            n.tags > 0
            or n.words > 0
          )
        order by
          n.tags desc,
          n.words desc,
          s.created_at desc,
          s.article_id desc
        limit
          $2::integer
      ) as ids
    from
      all_articles a
    where
      a.id = $1::bigint
      and can_read (a.is_private, a.member_id, $3::reader)
    offset
      0
  ) f;
