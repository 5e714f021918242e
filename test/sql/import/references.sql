-- import_find_text
-- (text, text) returns (bigint, boolean, bigint, text, boolean, boolean)
select
  a.id,
  false as "isDraft",
  a.member_id as "memberId",
  a.content,
  a.image is not null as "hasImage",
  a.revision = r.revision as "isUnedited"
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
  d.image_id is not null,
  false
from
  imported_records r
  join drafts d on d.id = r.row_id
where
  r.source = $1
  and r.kind = 'draft'
  and r.key = $2;

-- import_replace_content
-- (text, text, text, text, character varying, boolean) returns (bigint)
with
  replaced as (
    update all_articles a
    set
      content = $4,
      excerpt = $5
    from
      imported_records r
    where
      r.source = $1
      and r.kind = 'article'
      and r.key = $2
      and a.id = r.row_id
      and a.content = $3
      and a.removed_at is null
      and (
        not $6
        or a.revision = r.revision
      )
    returning
      a.id,
      a.revision
  ),
  recorded as (
    update imported_records r
    set
      revision = p.revision
    from
      replaced p
    where
      r.source = $1
      and r.kind = 'article'
      and r.key = $2
      and r.revision = p.revision - 1
  )
select
  id
from
  replaced;

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
