-- import_add_comments
-- (bigint, bigint[], bigint[], bigint[], text[], boolean[], timestamp with time zone[], timestamp with time zone[]) returns ()
insert into
  comments (id, article_id, parent_id, member_id, content, is_hidden, created_at, updated_at)
overriding system value
select
  id,
  $1,
  parent_id,
  member_id,
  content,
  is_hidden,
  created_at,
  updated_at
from
  unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[], $7::timestamptz[], $8::timestamptz[]) as c (id, parent_id, member_id, content, is_hidden, created_at, updated_at);

-- import_comment_authors
-- (bigint[]) returns (bigint)
select distinct
  member_id as "memberId"
from
  comments
where
  id = any ($1::bigint[])
  and member_id is not null;

-- import_empty_comments
-- (bigint[]) returns ()
update comments
set
  content = '',
  member_id = null,
  deleted_at = updated_at
where
  id = any ($1::bigint[])
  and reply_count > 0;

-- import_lock_top_comments
-- (bigint[], bigint) returns (bigint, bigint)
select
  c.id,
  top.id as "topId"
from
  comments c
  join comments top on top.id = coalesce(c.parent_id, c.id)
where
  c.id = any ($1::bigint[])
  and top.article_id = $2
  and top.deleted_at is null
order by
  top.id
for no key update of
  top;

-- import_read_top_comments
-- (bigint[], bigint) returns (bigint, bigint)
select
  c.id,
  top.id as "topId"
from
  comments c
  join comments top on top.id = coalesce(c.parent_id, c.id)
where
  c.id = any ($1::bigint[])
  and top.article_id = $2
  and top.deleted_at is null
order by
  top.id;
