-- add_revision_of_tags
-- (bigint, text[]) returns (void)
select
  add_article_revision ($1)
where
  $2::text[] <> array(
    select
      t.name
    from
      all_article_tags x
      join tags t on t.id = x.tag_id
    where
      x.article_id = $1
    order by
      x.position
  )::text[];

-- articles_with_old_revisions
-- (bigint, integer) returns (bigint, bigint[])
select
  max(a.id) as last,
  coalesce(
    array_agg(a.id) filter (
      where
        a.revision > $2
        and (
          select
            count(*)
          from
            article_revisions r
          where
            r.article_id = a.id
        ) > $2
    ),
    '{}'
  ) as ids
from
  (
    select
      id,
      revision
    from
      all_articles
    where
      id > $1
    order by
      id
    limit
      1000
  ) a;

-- find_revision
-- (bigint, integer) returns (integer, character varying, character varying, integer, timestamp with time zone, text, text[])
select
  r.number,
  r.title,
  r.description as "description",
  r.characters,
  r.created_at as "createdAt",
  r.content,
  r.tags
from
  article_revisions r
where
  r.article_id = $1
  and r.number = $2;

-- revision_page
-- (bigint, bigint, bigint) returns (integer, character varying, character varying, integer, timestamp with time zone, bigint)
select
  r.number,
  r.title,
  r.description as "description",
  r.characters,
  r.created_at as "createdAt",
  t.total
from
  (
    select
      count(*) as total
    from
      article_revisions
    where
      article_id = $1
  ) t
  left join lateral (
    select
      *
    from
      article_revisions
    where
      article_id = $1
    order by
      number desc
    limit
      $2
    offset
      $3
  ) r on true
order by
  r.number desc;

-- thin_revisions
-- (bigint[], bigint, bigint) returns (bigint)
with
  deleted as (
    delete from article_revisions r using (
      select
        article_id,
        number
      from
        (
          select
            article_id,
            number,
            replaced_at,
            row_number() over (
              partition by
                article_id
              order by
                number desc
            ) as place,
            row_number() over (
              partition by
                article_id,
                (created_at at time zone 'UTC')::date
              order by
                number desc
            ) as place_in_day
          from
            article_revisions
          where
            article_id = any ($1::bigint[])
        ) p
      where
        place > $2
        and (
          place_in_day > 1
          or replaced_at < now() - 31536000000 * interval '1 millisecond'
        )
        and number is distinct from (
          select
            min(n.number)
          from
            all_articles a
            join article_revisions n on n.article_id = a.id
          where
            a.id = p.article_id
            and n.number >= a.private_revision
        )
      order by
        article_id,
        number
      limit
        $3
    ) d
    where
      r.article_id = d.article_id
      and r.number = d.number
    returning
      1
  )
select
  count(*) as deleted
from
  deleted;
