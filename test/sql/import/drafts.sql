-- import_add_draft
-- (bigint, character varying, text, bigint, text[], character varying, bigint, character varying, timestamp with time zone, timestamp with time zone, timestamp with time zone, uuid, integer, bigint, character varying, character varying, character varying) returns (bigint)
insert into
  drafts (
    member_id,
    title,
    content,
    category_id,
    tags,
    slug,
    image_id,
    image_alt,
    created_at,
    updated_at,
    published_at,
    key,
    description,
    canonical_url,
    language
  )
select
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
  coalesce($12::uuid, gen_random_uuid()),
  $15,
  $16,
  $17
where
  not exists (
    select
    from
      draft_counts
    where
      member_id = $1
      and (
        drafts >= $13
        or bytes + octet_length($3::text) > $14
      )
  )
returning
  id;

-- import_find_draft
-- (bigint) returns (bigint, bigint)
select
  member_id as "memberId",
  category_id as "categoryId"
from
  drafts
where
  id = $1;
