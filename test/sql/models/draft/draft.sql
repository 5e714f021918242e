-- article_to_draft
-- (bigint, bigint) returns (bigint, boolean, boolean, integer, bigint)
select
  a.member_id as "memberId",
  a.is_private as "isPrivate",
  a.removed_at is not null as "isRemoved",
  octet_length(a.content) as bytes,
  d.id as "draftId"
from
  all_articles a
  left join drafts d on d.article_id = a.id
  and d.member_id = $2
where
  a.id = $1;

-- draft_of_member
-- (bigint, bigint, boolean) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, text)
select
  d.id as "id",
  d.key as "key",
  d.member_id as "memberId",
  d.article_id as "articleId",
  d.title as "title",
  d.description as "description",
  d.canonical_url as "canonicalUrl",
  d.language as "language",
  k.name as "category",
  d.tags as "tags",
  d.slug as "slug",
  case
    when d.is_private then 'PRIVATE'
    else 'PUBLIC'
  end as "visibility",
  case
    when d.image_id is not null then i.key
    when not d.removes_image then a.image
  end as "image",
  case
    when d.image_id is not null then i.width
    when not d.removes_image then a.image_width
  end as "imageWidth",
  case
    when d.image_id is not null then i.height
    when not d.removes_image then a.image_height
  end as "imageHeight",
  nullif(
    coalesce(
      d.image_alt,
      case
        when case
          when d.image_id is null then not d.removes_image
          else i.key = a.image
        end then a.image_alt
      end
    ),
    ''
  ) as "imageAlt",
  d.image_id as "imageId",
  case
    when d.leaves_translations then 0
    else o.id
  end as "translationOf",
  d.published_at as "publishedAt",
  d.publish_at as "publishAt",
  d.publication_error as "publicationError",
  d.base_revision as "baseRevision",
  d.revision as "revision",
  d.created_at as "createdAt",
  d.updated_at as "updatedAt",
  d.content
from
  drafts d
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    $3
    or not o.is_private
  )
where
  d.id = $1
  and d.member_id = $2
  and (
    $3
    or not exists (
      select
      from
        all_articles p
      where
        p.id = d.article_id
        and p.is_private
    )
  );

-- draft_page
-- (bigint, boolean, boolean, boolean, bigint, bigint) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, text, text, bigint)
with
  listed as (
    select
      id,
      updated_at
    from
      drafts d
    where
      member_id = $1
      and (
        $2
        or not exists (
          select
          from
            all_articles p
          where
            p.id = d.article_id
            and p.is_private
        )
      )
      and (
        $3::boolean is null
        or $3 = (publish_at is not null)
      )
  )
select
  d.id as "id",
  d.key as "key",
  d.member_id as "memberId",
  d.article_id as "articleId",
  d.title as "title",
  d.description as "description",
  d.canonical_url as "canonicalUrl",
  d.language as "language",
  k.name as "category",
  d.tags as "tags",
  d.slug as "slug",
  case
    when d.is_private then 'PRIVATE'
    else 'PUBLIC'
  end as "visibility",
  case
    when d.image_id is not null then i.key
    when not d.removes_image then a.image
  end as "image",
  case
    when d.image_id is not null then i.width
    when not d.removes_image then a.image_width
  end as "imageWidth",
  case
    when d.image_id is not null then i.height
    when not d.removes_image then a.image_height
  end as "imageHeight",
  nullif(
    coalesce(
      d.image_alt,
      case
        when case
          when d.image_id is null then not d.removes_image
          else i.key = a.image
        end then a.image_alt
      end
    ),
    ''
  ) as "imageAlt",
  d.image_id as "imageId",
  case
    when d.leaves_translations then 0
    else o.id
  end as "translationOf",
  d.published_at as "publishedAt",
  d.publish_at as "publishAt",
  d.publication_error as "publicationError",
  d.base_revision as "baseRevision",
  d.revision as "revision",
  d.created_at as "createdAt",
  d.updated_at as "updatedAt",
  left(d.content, 4000) as beginning,
  case
    when $4 then d.content
  end as content,
  t.total
from
  (
    select
      count(*) as total
    from
      listed
  ) t
  left join (
    select
      id
    from
      listed
    order by
      updated_at desc,
      id desc
    limit
      $5
    offset
      $6
  ) p on true
  left join drafts d on d.id = p.id
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    $2
    or not o.is_private
  )
order by
  d.updated_at desc,
  d.id desc;

-- draft_texts
-- (bigint[], bigint) returns (bigint, text)
select
  id,
  content
from
  drafts
where
  id = any ($1::bigint[])
  and member_id = $2;

-- start_draft
-- (bigint, bigint, uuid) returns (bigint)
insert into
  drafts (
    member_id,
    article_id,
    base_revision,
    title,
    content,
    category_id,
    tags,
    is_private,
    description,
    canonical_url,
    language
  )
select
  a.member_id,
  a.id,
  a.revision,
  a.title,
  a.content,
  a.category_id,
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
  ),
  a.is_private,
  a.description as "description",
  a.canonical_url as "canonicalUrl",
  a.language as "language"
from
  all_articles a
where
  a.id = $1
  and a.member_id = $2
  and a.removed_at is null
  and (
    $3::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $3
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $3
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  )
on conflict (article_id) do nothing
returning
  id;
