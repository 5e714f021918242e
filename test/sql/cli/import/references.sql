-- import_find_text
-- (text, text) returns (bigint, boolean, bigint, text, boolean)
select
  a.id,
  false as "isDraft",
  a.member_id as "memberId",
  a.content,
  a.image is not null as "hasImage"
from
  imported_records r
  join all_articles a on a.id = r.row_id
where
  r.source = $1
  and r.kind = 'article'
  and r.key = $2
  and a.removed_at is null
union all
select
  d.id,
  true,
  d.member_id,
  d.content,
  d.image_id is not null
from
  imported_records r
  join drafts d on d.id = r.row_id
where
  r.source = $1
  and r.kind = 'draft'
  and r.key = $2;

-- import_replace_content
-- (bigint, text, text, character varying) returns (bigint)
update all_articles
set
  content = $3,
  excerpt = $4
where
  id = $1
  and content = $2
returning
  id;

-- import_replace_draft
-- (bigint, text, text) returns (bigint)
update drafts
set
  content = $3,
  revision = revision + 1
where
  id = $1
  and content = $2
returning
  id;

-- import_set_draft_image
-- (bigint, bigint, character varying) returns (bigint)
update drafts
set
  image_id = $2,
  image_alt = $3,
  revision = revision + 1
where
  id = $1
  and image_id is null
returning
  id;

-- import_set_image
-- (bigint, text, integer, integer, character varying) returns (bigint)
update all_articles
set
  image = $2,
  image_width = $3,
  image_height = $4,
  image_alt = $5
where
  id = $1
  and image is null
returning
  id;

-- import_slugs_of_articles
-- (bigint[]) returns (bigint, character varying)
select
  id,
  slug
from
  articles
where
  id = any ($1::bigint[]);
