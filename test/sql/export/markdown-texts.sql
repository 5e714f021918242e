-- export_former_slugs
-- (bigint[]) returns (bigint, text[])
select
  a.id,
  (
    array_agg(
      s.slug::text
      order by
        s.slug
    )
  ) [1:200] as slugs
from
  all_articles a
  join article_slugs s on s.article_id = a.id
  and s.slug <> a.slug
where
  a.id = any ($1::bigint[])
group by
  a.id;

-- export_markdown_articles
-- (timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  articles x
  join members m on m.id = x.member_id
where
  true
  and (x.created_at, x.id) > ($1, $2)
order by
  x.created_at,
  x.id
limit
  $3;

-- export_markdown_draft_texts
-- (bigint[]) returns (bigint, uuid, bigint, bigint, character varying, character varying, character varying, character varying, character varying, text[], character varying, text, text, integer, integer, text, bigint, bigint, timestamp with time zone, timestamp with time zone, text, integer, integer, timestamp with time zone, timestamp with time zone, text, character varying)
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
  d.content,
  m.nickname as "authorName"
from
  drafts d
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
  left join all_articles a on a.id = d.article_id
  and a.member_id is not distinct from d.member_id
  left join all_articles o on o.id = d.translation_of
  and (
    true
    or not o.is_private
  )
  join members m on m.id = d.member_id
where
  d.id = any ($1::bigint[]);

-- export_markdown_drafts
-- (timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  drafts x
  join members m on m.id = x.member_id
where
  true
  and (x.created_at, x.id) > ($1, $2)
order by
  x.created_at,
  x.id
limit
  $3;

-- export_markdown_own_articles
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  articles x
  join members m on m.id = x.member_id
where
  x.member_id = $1
  and (x.created_at, x.id) > ($2, $3)
order by
  x.created_at,
  x.id
limit
  $4;

-- export_markdown_own_drafts
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  drafts x
  join members m on m.id = x.member_id
where
  x.member_id = $1
  and (x.created_at, x.id) > ($2, $3)
order by
  x.created_at,
  x.id
limit
  $4;

-- export_markdown_own_private
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  all_articles x
  join members m on m.id = x.member_id
where
  x.is_private
  and x.member_id = $1
  and (x.created_at, x.id) > ($2, $3)
order by
  x.created_at,
  x.id
limit
  $4;

-- export_markdown_private
-- (timestamp with time zone, bigint, bigint) returns (bigint, timestamp with time zone, character varying, character varying, text)
select
  x.id,
  x.created_at as "createdAt",
  x.slug,
  x.title,
  concat_ws(
    chr(31),
    x.slug,
    x.title,
    m.nickname,
    date_trunc('second', x.updated_at),
    left(
      substring(
        x.content
        from
          '^[^[(<]*'
      ),
      200
    )
  ) as rank
from
  all_articles x
  join members m on m.id = x.member_id
where
  x.is_private
  and x.removed_at is null
  and (x.created_at, x.id) > ($1, $2)
order by
  x.created_at,
  x.id
limit
  $3;

-- export_private_articles
-- (bigint[]) returns (bigint, bigint, character varying, text, bigint, character varying, character varying, character varying, integer, integer, character varying, character varying, character varying, character varying, text, text, uuid, text, text, integer, integer, character varying, text[], integer, integer, integer, bigint, json[], text, text, boolean, timestamp with time zone, integer, timestamp with time zone, timestamp with time zone, text)
select
  a.id as "id",
  a.member_id as "memberId",
  m.nickname as "authorName",
  m.profile_image as "authorImage",
  a.category_id as "categoryId",
  k.name as "categoryName",
  a.title as "title",
  a.slug as "slug",
  a.word_count as "wordCount",
  a.reading_minutes as "readingMinutes",
  a.description as "description",
  a.canonical_url as "canonicalUrl",
  a.language as "language",
  a.excerpt as "excerpt",
  case
    when a.excerpt is null then left(a.content, 4000)
  end as "beginning",
  a.content as "content",
  a.key as "key",
  null as "snippet",
  a.image as "image",
  a.image_width as "imageWidth",
  a.image_height as "imageHeight",
  a.image_alt as "imageAlt",
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
  )::text[] as "tags",
  a.comment_count as "commentCount",
  coalesce(r.likes, 0) - case
    when exists (
      select
      from
        withdrawn_members
    ) then reactions_of_withdrawn (r.article_id, 'LIKE')
    else 0
  end as "likeCount",
  coalesce(r.views, 0) as "viewCount",
  a.series_id as "seriesId",
  array(
    select
      json_build_object('id', b.id, 'slug', b.slug, 'title', b.title, 'language', b.language)
    from
      articles b
    where
      b.translation_group_id = a.translation_group_id
      and b.id <> a.id
    order by
      b.language
  ) as "translations",
  null as "bookmarkedAt",
  a.ai_summary as "aiSummary",
  a.is_private as "isPrivate",
  a.removed_at as "removedAt",
  a.revision as "revision",
  a.created_at as "createdAt",
  a.updated_at as "updatedAt",
  '' as stamp
from
  all_articles a
  join members m on m.id = a.member_id
  join categories k on k.id = a.category_id
  left join article_counts r on r.article_id = a.id
where
  a.id = any ($1::bigint[])
  and a.is_private;

-- export_series_of_articles
-- (bigint[]) returns (bigint, character varying, integer)
select
  a.id,
  s.title,
  a.series_position as position
from
  all_articles a
  join series s on s.id = a.series_id
where
  a.id = any ($1::bigint[]);
