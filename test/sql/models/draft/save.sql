-- changed draft
-- (bigint, boolean, bigint, text, bigint, uuid, text[], text, text[], text, boolean, text, text) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, boolean, boolean, boolean, boolean, boolean, boolean, boolean)
with
  given as (
    select
      r.*,
      r.category_id is not null as "hasCategory",
      r.image_id is not null as "hasImage",
      true as "hasTranslation"
    from
      (
        select
          (
            select
              id
            from
              categories
            where
              member_id = $1::bigint
              and lower(name) = lower($4::text)
          ) as category_id,
          (
            select
              id
            from
              images
            where
              member_id = $1::bigint
              and id = $5::bigint
          ) as image_id,
          null::bigint as translation_of,
          (
            $6::uuid::uuid is null
            or coalesce(
              (
                select
                  require_not_suspended (member_id)
                from
                  sessions
                where
                  id = $6::uuid
                  and expires_at > now()
              ),
              (
                select
                  require_not_suspended (member_id)
                from
                  api_tokens
                where
                  id = $6::uuid
                  and coalesce(expires_at > now(), true)
              ),
              false
            )
          ) as "hasAccess"
      ) r
  ),
  saved as (
    update drafts d
    set
      title = $8::text,
      category_id = g.category_id,
      tags = $9::text[],
      slug = $10::text,
      is_private = $11::boolean,
      image_id = g.image_id,
      removes_image = false,
      image_alt = $12::text,
      content = case
        when d.content = $13::text then d.content
        else $13::text
      end,
      revision = d.revision + 1,
      updated_at = clock_timestamp()
    from
      given g
    where
      d.id = $3::bigint
      and d.member_id = $1::bigint
      and (
        $2::boolean
        or not exists (
          select
          from
            all_articles p
          where
            p.id = d.article_id
            and p.is_private
        )
      )
      and g."hasAccess"
      and g."hasCategory"
      and g."hasImage"
      and g."hasTranslation"
      and (
        $7::text[] is null
        or d.revision::text = any ($7::text[])
      )
      and (
        false
        or d.title is distinct from $8::text
        or d.category_id is distinct from g.category_id
        or d.tags is distinct from $9::text[]
        or d.slug is distinct from $10::text
        or d.is_private is distinct from $11::boolean
        or d.image_id is distinct from g.image_id
        or d.removes_image is distinct from false
        or d.image_alt is distinct from $12::text
        or d.content is distinct from $13::text
      )
    returning
      d.id,
      d.key,
      d.member_id,
      d.article_id,
      d.title,
      d.description,
      d.canonical_url,
      d.language,
      d.category_id,
      d.tags,
      d.slug,
      d.is_private,
      d.image_id,
      d.image_alt,
      d.removes_image,
      d.translation_of,
      d.leaves_translations,
      d.published_at,
      d.publish_at,
      d.publication_error,
      d.base_revision,
      d.revision,
      d.created_at,
      d.updated_at,
      true as "isSaved",
      true as "isCurrent",
      true as differs
  ),
  found as (
    select
      *
    from
      saved
    union all
    select
      d.id,
      d.key,
      d.member_id,
      d.article_id,
      d.title,
      d.description,
      d.canonical_url,
      d.language,
      d.category_id,
      d.tags,
      d.slug,
      d.is_private,
      d.image_id,
      d.image_alt,
      d.removes_image,
      d.translation_of,
      d.leaves_translations,
      d.published_at,
      d.publish_at,
      d.publication_error,
      d.base_revision,
      d.revision,
      d.created_at,
      d.updated_at,
      false,
      (
        $7::text[] is null
        or d.revision::text = any ($7::text[])
      ),
      false
      or d.title is distinct from $8::text
      or d.category_id is distinct from g.category_id
      or d.tags is distinct from $9::text[]
      or d.slug is distinct from $10::text
      or d.is_private is distinct from $11::boolean
      or d.image_id is distinct from g.image_id
      or d.removes_image is distinct from false
      or d.image_alt is distinct from $12::text
      or d.content is distinct from $13::text
    from
      drafts d
      cross join given g
    where
      d.id = $3::bigint
      and d.member_id = $1::bigint
      and (
        $2::boolean
        or not exists (
          select
          from
            all_articles p
          where
            p.id = d.article_id
            and p.is_private
        )
      )
      and not exists (
        select
        from
          saved
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
  d."isSaved",
  d."isCurrent",
  d.differs,
  g."hasAccess",
  g."hasCategory",
  g."hasImage",
  g."hasTranslation"
from
  given g
  cross join found d
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    $2::boolean
    or not o.is_private
  );

-- comparison of a draft
-- (bigint, boolean, bigint, text, bigint, uuid, text[], text, text[], text, boolean, text, text) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, boolean, boolean, boolean, boolean, boolean, boolean, boolean)
with
  given as (
    select
      r.*,
      r.category_id is not null as "hasCategory",
      r.image_id is not null as "hasImage",
      true as "hasTranslation"
    from
      (
        select
          (
            select
              id
            from
              categories
            where
              member_id = $1::bigint
              and lower(name) = lower($4::text)
          ) as category_id,
          (
            select
              id
            from
              images
            where
              member_id = $1::bigint
              and id = $5::bigint
          ) as image_id,
          null::bigint as translation_of,
          (
            $6::uuid::uuid is null
            or coalesce(
              (
                select
                  require_not_suspended (member_id)
                from
                  sessions
                where
                  id = $6::uuid
                  and expires_at > now()
              ),
              (
                select
                  require_not_suspended (member_id)
                from
                  api_tokens
                where
                  id = $6::uuid
                  and coalesce(expires_at > now(), true)
              ),
              false
            )
          ) as "hasAccess"
      ) r
  ),
  found as (
    select
      d.id,
      d.key,
      d.member_id,
      d.article_id,
      d.title,
      d.description,
      d.canonical_url,
      d.language,
      d.category_id,
      d.tags,
      d.slug,
      d.is_private,
      d.image_id,
      d.image_alt,
      d.removes_image,
      d.translation_of,
      d.leaves_translations,
      d.published_at,
      d.publish_at,
      d.publication_error,
      d.base_revision,
      d.revision,
      d.created_at,
      d.updated_at,
      false as "isSaved",
      (
        $7::text[] is null
        or d.revision::text = any ($7::text[])
      ) as "isCurrent",
      false
      or d.title is distinct from $8::text
      or d.category_id is distinct from g.category_id
      or d.tags is distinct from $9::text[]
      or d.slug is distinct from $10::text
      or d.is_private is distinct from $11::boolean
      or d.image_id is distinct from g.image_id
      or d.removes_image is distinct from false
      or d.image_alt is distinct from $12::text
      or d.content is distinct from $13::text as differs
    from
      drafts d
      cross join given g
    where
      d.id = $3::bigint
      and d.member_id = $1::bigint
      and (
        $2::boolean
        or not exists (
          select
          from
            all_articles p
          where
            p.id = d.article_id
            and p.is_private
        )
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
  d."isSaved",
  d."isCurrent",
  d.differs,
  g."hasAccess",
  g."hasCategory",
  g."hasImage",
  g."hasTranslation"
from
  given g
  cross join found d
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    $2::boolean
    or not o.is_private
  );

-- new draft
-- (bigint, text, bigint, uuid, text, text[], text, boolean, text, text, boolean) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, boolean, boolean, boolean, boolean)
with
  given as (
    select
      r.*,
      r.category_id is not null as "hasCategory",
      r.image_id is not null as "hasImage",
      true as "hasTranslation"
    from
      (
        select
          (
            select
              id
            from
              categories
            where
              member_id = $1::bigint
              and lower(name) = lower($2::text)
          ) as category_id,
          (
            select
              id
            from
              images
            where
              member_id = $1::bigint
              and id = $3::bigint
          ) as image_id,
          null::bigint as translation_of,
          (
            $4::uuid::uuid is null
            or coalesce(
              (
                select
                  require_not_suspended (member_id)
                from
                  sessions
                where
                  id = $4::uuid
                  and expires_at > now()
              ),
              (
                select
                  require_not_suspended (member_id)
                from
                  api_tokens
                where
                  id = $4::uuid
                  and coalesce(expires_at > now(), true)
              ),
              false
            )
          ) as "hasAccess"
      ) r
  ),
  added as (
    insert into
      drafts as d (member_id, title, category_id, tags, slug, is_private, image_id, removes_image, image_alt, content)
    select
      $1::bigint,
      $5::text,
      g.category_id,
      $6::text[],
      $7::text,
      $8::boolean,
      g.image_id,
      false,
      $9::text,
      $10::text
    from
      given g
    where
      g."hasAccess"
      and g."hasCategory"
      and g."hasImage"
      and g."hasTranslation"
    returning
      d.id,
      d.key,
      d.member_id,
      d.article_id,
      d.title,
      d.description,
      d.canonical_url,
      d.language,
      d.category_id,
      d.tags,
      d.slug,
      d.is_private,
      d.image_id,
      d.image_alt,
      d.removes_image,
      d.translation_of,
      d.leaves_translations,
      d.published_at,
      d.publish_at,
      d.publication_error,
      d.base_revision,
      d.revision,
      d.created_at,
      d.updated_at
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
  g."hasAccess",
  g."hasCategory",
  g."hasImage",
  g."hasTranslation"
from
  given g
  left join added d on true
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    $11::boolean
    or not o.is_private
  );
