-- export_article_images
-- (bigint[]) returns (bigint, json)
select
  a.id,
  (
    select
      json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height))
    from
      article_images r
      join images i on i.id = r.image_id
    where
      r.article_id = a.id
  ) as images
from
  unnest($1::bigint[]) as a (id);

-- export_articles
-- (bigint, bigint) returns (bigint)
select
  id
from
  articles
where
  id > $1
order by
  id
limit
  $2;

-- export_comments
-- (bigint, bigint) returns (bigint)
select
  id
from
  comments
where
  id > $1
order by
  id
limit
  $2;

-- export_members
-- (bigint, bigint) returns (bigint)
select
  id
from
  (
    select
      id
    from
      members
    where
      not (
        pending_since is not null
        and email_verified_at is null
      )
  ) m
where
  id > $1
order by
  id
limit
  $2;

-- export_series
-- (bigint, bigint) returns (bigint)
select
  id
from
  series
where
  id > $1
order by
  id
limit
  $2;

-- export_series_articles
-- (bigint[]) returns (bigint, bigint, character varying, character varying, integer, timestamp with time zone, json)
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
  s.updated_at as "updatedAt",
  array_to_json(
    array(
      select
        a.id
      from
        articles a
      where
        a.series_id = s.id
      order by
        a.series_position,
        a.id
    )
  ) as "articleIds"
from
  series s
where
  s.id = any ($1::bigint[]);
