-- add_image
-- (bigint, text, integer, integer, bigint) returns (bigint, bigint, text, integer, integer, timestamp with time zone)
insert into
  images as i (member_id, key, width, height, bytes)
values
  ($1, $2, $3, $4, $5)
returning
  i.id as "id",
  i.member_id as "memberId",
  i.key as "key",
  i.width as "width",
  i.height as "height",
  i.created_at as "createdAt";

-- article_with_image
-- (bigint, bigint, reader) returns (bigint)
select
  case
    when can_read (a.is_private, a.member_id, $3::reader) then a.id
  end as id
from
  article_images r
  join all_articles a on a.id = r.article_id
where
  r.image_id = $1
  and a.member_id = $2
order by
  1 nulls last
limit
  1;

-- delete_image
-- (bigint) returns ()
delete from images
where
  id = $1;

-- delete_unreferenced_images
-- (double precision, bigint) returns (text)
delete from images
where
  id = any (
    array(
      select
        id
      from
        images
      where
        unreferenced_at < now() - $1 * interval '1 millisecond'
      order by
        unreferenced_at
      limit
        $2
      for update
        skip locked
    )
  )
returning
  key;

-- draft_with_image
-- (bigint, bigint) returns (bigint)
select
  id
from
  drafts
where
  image_ids @> array[$1::bigint]
  and image_ids <> '{}'
  and member_id = $2
limit
  1;

-- image_usage
-- (bigint) returns (bigint, bigint)
select
  count(*) as images,
  coalesce(sum(bytes), 0)::bigint as bytes
from
  images
where
  member_id = $1;

-- images_by_key
-- (text[]) returns (json)
select
  json_object_agg(i.key, json_build_object('width', i.width, 'height', i.height)) as images
from
  images i
where
  i.key = any ($1::text[]);

-- images_of_member
-- (bigint) returns (text)
select
  profile_image as key
from
  members
where
  id = $1
  and profile_image is not null
union all
select
  image
from
  all_articles
where
  member_id = $1
  and image is not null
union all
select
  key
from
  images
where
  member_id = $1;

-- lock_image
-- (bigint, bigint) returns (bigint, bigint, text, integer, integer, timestamp with time zone)
select
  i.id as "id",
  i.member_id as "memberId",
  i.key as "key",
  i.width as "width",
  i.height as "height",
  i.created_at as "createdAt"
from
  images i
where
  i.id = $1
  and i.member_id = $2
for update;

-- member_images
-- (bigint, bigint, bigint) returns (bigint, bigint, text, integer, integer, timestamp with time zone, bigint)
select
  i.id as "id",
  i.member_id as "memberId",
  i.key as "key",
  i.width as "width",
  i.height as "height",
  i.created_at as "createdAt",
  t.total
from
  (
    select
      count(*) as total
    from
      images
    where
      member_id = $1
  ) t
  left join lateral (
    select
      *
    from
      images
    where
      member_id = $1
    order by
      id desc
    limit
      $2
    offset
      $3
  ) i on true
order by
  i.id desc;

-- placed_images_of_member
-- (bigint) returns (text)
select
  profile_image as key
from
  members
where
  id = $1
  and profile_image is not null
union all
select
  image
from
  all_articles
where
  member_id = $1
  and image is not null;

-- use_of_image
-- (text) returns (boolean)
select
  true as used
where
  exists (
    select
    from
      members
    where
      profile_image = $1
  )
  or exists (
    select
    from
      all_articles
    where
      image = $1
  )
  or exists (
    select
    from
      images
    where
      key = $1
  );
