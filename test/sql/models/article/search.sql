-- best match first
-- (text, bigint, bigint) returns (integer, text, text)
select
  f.total::integer as total,
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
          (
            select
              case
                when first.at > 60 then '…'
                else ''
              end || substr(coalesce(t.text || coalesce(' ' || a.description, ''), s.content), greatest(first.at - 60, 1), 260)
            from
              article_search s
              left join article_texts t on t.article_id = s.article_id,
              lateral (
                select
                  coalesce(min(nullif(strpos(s.content, word), 0)), 1) as at
                from
                  unnest(f.words) word
              ) first
            where
              s.article_id = a.id
          ),
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
    with
      q as materialized (
        select
          phrase,
          words,
          exists (
            select
            from
              unnest(words) word
            where
              length(word) > 16
          ) as has_long_word,
          search_query (phrase, '{""}') as anywhere,
          search_query (phrase, array[E'\x01', E'\x02']) as in_head
        from
          search_fold ($1) phrase,
          string_to_array(phrase, ' ') words
      ),
      counted as materialized (
        select
          (
            select
              count(*)
            from
              article_search s
            where
              search_keys (s.title, s.tags, s.content) @@ (
                select
                  anywhere
                from
                  q
              )
          ) as total,
          (
            select
              greatest(reltuples, 0)
            from
              pg_class
            where
              oid = 'article_search'::regclass
          ) as articles
      ),
      titled as materialized (
        select
          s.article_id,
          row_number() over (
            order by
              s.created_at desc,
              s.article_id desc
          ) as place
        from
          (
            select
              *
            from
              article_search r
            order by
              created_at desc,
              article_id desc
            limit
              (
                select
                  case
                    when total * 5 > articles then 2000
                    else 0
                  end
                from
                  counted
              )
          ) s
        where
          strpos(
            s.title,
            (
              select
                phrase
              from
                q
            )
          ) > 0
        limit
          $2::bigint + $3::bigint
      ),
      top as materialized (
        select
          count(*) = $2 + $3 as is_enough
        from
          titled
      ),
      head as materialized (
        select
          s.article_id,
          s.created_at,
          case
            when strpos(
              s.title,
              (
                select
                  phrase
                from
                  q
              )
            ) > 0 then 3
            when (
              select
                cardinality(words)
              from
                q
            ) > 1
            and not exists (
              select
              from
                unnest(
                  (
                    select
                      words
                    from
                      q
                  )
                ) word
              where
                strpos(s.title, word) = 0
            ) then 2
            else 1
          end as rank
        from
          article_search s
        where
          not (
            select
              is_enough
            from
              top
          )
          and search_keys (s.title, s.tags, s.content) @@ (
            select
              in_head
            from
              q
          )
          and (
            not (
              select
                has_long_word
              from
                q
            )
            or not exists (
              select
              from
                unnest(
                  (
                    select
                      words
                    from
                      q
                  )
                ) word
              where
                strpos(s.title || ' ' || s.tags, word) = 0
            )
          )
      ),
      plan as materialized (
        select
          skipped,
          missing,
          -- If hits are evenly distributed, the requested ones are expected within two thirds of the scanned articles.
          missing > 0
          and (skipped + missing) * articles < (total - ranked) * 200 as scans_newest
        from
          counted,
          top,
          lateral (
            select
              count(*) as ranked
            from
              head
          ) ranked,
          lateral (
            select
              greatest($3 - ranked, 0) as skipped,
              case
                when is_enough then 0
                else least($2, greatest($2 + $3 - ranked, 0), greatest(total - greatest(ranked, $3), 0))
              end as missing
          ) part
      ),
      reach as materialized (
        select
          case
            when scans_newest
            and not (
              select
                has_long_word
              from
                q
            ) then (
              select
                count(*)
              from
                (
                  select
                    bool_and(octet_length(content) <= 30000) over (
                      order by
                        created_at desc,
                        article_id desc
                    ) as is_short
                  from
                    (
                      select
                        *
                      from
                        article_search r
                      order by
                        created_at desc,
                        article_id desc
                      limit
                        300
                    ) s
                ) s
              where
                is_short
            )
            else 0
          end as articles
        from
          plan
      ),
      newest as materialized (
        select
          s.article_id,
          row_number() over (
            order by
              s.created_at desc,
              s.article_id desc
          ) as place
        from
          (
            select
              article_id,
              created_at,
              member_id,
              category_id,
              title || ' ' || tags || ' ' || content as body
            from
              article_search r
            order by
              created_at desc,
              article_id desc
            limit
              (
                select
                  articles
                from
                  reach
              )
          ) s
        where
          s.article_id not in (
            select
              article_id
            from
              head
          )
          and not exists (
            select
            from
              unnest(
                (
                  select
                    words
                  from
                    q
                )
              ) word
            where
              strpos(s.body, word) = 0
          )
        limit
          (
            select
              skipped + missing
            from
              plan
          )
      ),
      scanned as materialized (
        select
          missing > 0
          and (
            select
              count(*)
            from
              newest
          ) = skipped + missing as is_enough
        from
          plan
      )
    select
      (
        select
          words
        from
          q
      ) as words,
      (
        select
          total
        from
          counted
      ) as total,
      case
        when (
          select
            is_enough
          from
            top
        ) then array(
          select
            article_id
          from
            titled
          order by
            place
          limit
            $2
          offset
            $3
        )
        else array(
          select
            article_id
          from
            head
          order by
            rank desc,
            created_at desc,
            article_id desc
          limit
            $2
          offset
            $3
        ) || case
          when (
            select
              is_enough
            from
              scanned
          ) then array(
            select
              article_id
            from
              newest
            order by
              place
            limit
              $2
            offset
              (
                select
                  skipped
                from
                  plan
              )
          )
          else array(
            select
              s.article_id
            from
              article_search s
            where
              search_keys (s.title, s.tags, s.content) @@ (
                select
                  anywhere
                from
                  q
              )
              and not exists (
                select
                from
                  head h
                where
                  h.article_id = s.article_id
              )
            order by
              s.created_at desc,
              s.article_id desc
            limit
              (
                select
                  missing
                from
                  plan
              )
            offset
              (
                select
                  skipped
                from
                  plan
              )
          )
        end
      end as ids
  ) f;

-- own articles by time
-- (text, bigint, text, timestamp with time zone, timestamp with time zone, integer, bigint) returns (integer, text, text)
select
  f.total::integer as total,
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
            unnest(f.ids) s (id)
            join all_articles a on a.id = s.id
          order by
            a.created_at desc,
            a.id desc
          limit
            case
              when $7::bigint < f.total then $6::integer
              else 0
            end
          offset
            $7::bigint
        )
      )
  )::text as contents
from
  (
    with
      q as materialized (
        select
          phrase,
          words,
          exists (
            select
            from
              unnest(words) word
            where
              length(word) > 16
          ) as has_long_word,
          search_query (phrase, '{""}') as anywhere,
          search_query (phrase, array[E'\x01', E'\x02']) as in_head
        from
          search_fold ($1) phrase,
          string_to_array(phrase, ' ') words
      ),
      hits as materialized (
        select
          s.article_id
        from
          (
            select
              *
            from
              article_search
            union all
            select
              *
            from
              private_article_search
            where
              member_id = $2
          ) s
        where
          search_keys (s.title, s.tags, s.content) @@ (
            select
              anywhere
            from
              q
          )
          and s.member_id = $2
          and s.article_id in (
            select
              x.article_id
            from
              all_article_tags x
              join tags t on t.id = x.tag_id
            where
              t.name = $3
          )
          and s.created_at >= $4
          and s.created_at < $5
      )
    select
      (
        select
          words
        from
          q
      ) as words,
      (
        select
          count(*)
        from
          hits
      ) as total,
      array(
        select
          article_id
        from
          hits
      ) as ids
  ) f;
