-- import_add_default_categories
-- (bigint[], character varying) returns ()
insert into
  categories (member_id, name, is_default)
select
  unnest($1::bigint[]),
  $2,
  true;

-- import_add_members
-- (bigint[], text[], text[], text[], text[], timestamp with time zone[]) returns (bigint)
insert into
  members (id, member_name, nickname, nickname_skeleton, bio, created_at)
overriding system value
select
  id,
  member_name,
  nickname,
  skeleton,
  bio,
  coalesce(created_at, now())
from
  unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) as m (id, member_name, nickname, skeleton, bio, created_at)
on conflict do nothing
returning
  id;

-- import_existing_members
-- (bigint[]) returns (bigint)
select
  id
from
  members
where
  id = any ($1::bigint[]);
