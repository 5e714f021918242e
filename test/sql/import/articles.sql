-- import_add_article
-- (bigint, bigint, character varying, text, boolean, character varying, character varying, integer, integer, text, integer, integer, character varying, timestamp with time zone, timestamp with time zone, uuid, bigint, character varying, character varying, character varying) returns (bigint, character varying)
insert into
  all_articles (
    member_id,
    category_id,
    title,
    content,
    is_private,
    slug,
    excerpt,
    word_count,
    reading_minutes,
    image,
    image_width,
    image_height,
    image_alt,
    created_at,
    updated_at,
    key,
    translation_group_id,
    description,
    canonical_url,
    language
  )
values
  (
    $1,
    $2,
    $3,
    $4,
    $5,
    $6,
    $7,
    $8,
    $9,
    $10,
    $11,
    $12,
    $13,
    $14,
    $15,
    coalesce($16::uuid, gen_random_uuid()),
    $17,
    $18,
    $19,
    $20
  )
returning
  id,
  slug;

-- import_add_category
-- (bigint, character varying, bigint) returns (bigint)
insert into
  categories (member_id, name)
select
  $1,
  $2
where
  (
    select
      count(*)
    from
      categories
    where
      member_id = $1
      and not is_default
  ) < $3
returning
  id;

-- import_add_former_slugs
-- (bigint, text[]) returns (character varying)
insert into
  article_slugs (slug, article_id)
select
  slug,
  $1::bigint
from
  unnest($2::text[]) as w (slug)
where
  pg_try_advisory_xact_lock(4270008, hashtext (slug))
on conflict do nothing
returning
  slug;

-- import_find_category
-- (bigint, text) returns (bigint, boolean, boolean)
select
  id,
  coalesce(lower(name) = lower($2), false) as "isNamed",
  is_default as "isDefault"
from
  categories
where
  member_id = $1
  and (
    is_default
    or lower(name) = lower($2)
  )
order by
  2 desc
limit
  1;

-- import_find_tags
-- (text[]) returns (bigint, character varying)
select
  id,
  name
from
  tags
where
  name = any ($1::text[]);

-- import_lock_article
-- (bigint) returns (bigint, bigint, boolean)
select
  a.member_id as "memberId",
  a.category_id as "categoryId",
  c.is_default as "isDefault"
from
  all_articles a
  join categories c on c.id = a.category_id
where
  a.id = $1
for key share of
  a;

-- import_read_article
-- (bigint) returns (bigint, bigint, boolean)
select
  a.member_id as "memberId",
  a.category_id as "categoryId",
  c.is_default as "isDefault"
from
  all_articles a
  join categories c on c.id = a.category_id
where
  a.id = $1;
