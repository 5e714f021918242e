-- delete_row_of_all_articles
-- (bigint) returns ()
delete from all_articles
where
  id = $1;

-- delete_row_of_categories
-- (bigint) returns ()
delete from categories
where
  id = $1;

-- delete_row_of_comments
-- (bigint) returns ()
delete from comments
where
  id = $1;

-- delete_row_of_custom_styles
-- (bigint) returns ()
delete from custom_styles
where
  id = $1;

-- delete_row_of_drafts
-- (bigint) returns ()
delete from drafts
where
  id = $1;

-- delete_row_of_members
-- (bigint) returns ()
delete from members
where
  id = $1;

-- delete_row_of_notifications
-- (bigint) returns ()
delete from notifications
where
  id = $1;

-- lock_row_of_all_articles
-- (bigint, uuid) returns (character varying, character varying, character varying, bigint, uuid, bigint, bigint, character varying, text, character varying, character varying, boolean, integer, integer, text, integer, integer, character varying, bigint, text, boolean, timestamp with time zone, integer, timestamp with time zone, timestamp with time zone, boolean)
select
  t.description as "description",
  t.canonical_url as "canonicalUrl",
  t.language as "language",
  t.id as "id",
  t.key as "key",
  t.member_id as "memberId",
  t.category_id as "categoryId",
  t.title as "title",
  t.content as "content",
  t.excerpt as "excerpt",
  t.slug as "slug",
  t.is_slug_given as "isSlugGiven",
  t.word_count as "wordCount",
  t.reading_minutes as "readingMinutes",
  t.image as "image",
  t.image_width as "imageWidth",
  t.image_height as "imageHeight",
  t.image_alt as "imageAlt",
  t.translation_group_id as "translationGroupId",
  t.ai_summary as "aiSummary",
  t.is_private as "isPrivate",
  t.removed_at as "removedAt",
  t.revision as "revision",
  t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  all_articles t
where
  id = $1
for update;

-- lock_row_of_categories
-- (bigint, uuid) returns (bigint, bigint, character varying, boolean, boolean)
select
  t.id as "id",
  t.member_id as "memberId",
  t.name as "name",
  t.is_default as "isDefault",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  categories t
where
  id = $1
for update;

-- lock_row_of_comments
-- (bigint, uuid) returns (bigint, bigint, bigint, bigint, character varying, boolean, bigint, integer, integer, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone, boolean)
select
  t.id as "id",
  t.article_id as "articleId",
  t.parent_id as "parentId",
  t.member_id as "memberId",
  t.content as "content",
  t.is_hidden as "isHidden",
  t.received_by as "receivedBy",
  t.revision as "revision",
  t.reply_count as "replyCount",
  t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  t.deleted_at as "deletedAt",
  t.removed_at as "removedAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  comments t
where
  id = $1
for update;

-- lock_row_of_custom_styles
-- (bigint, uuid) returns (bigint, bigint, character varying, character varying, character varying, timestamp with time zone, timestamp with time zone, boolean)
select
  t.id as "id",
  t.member_id as "memberId",
  t.name as "name",
  t.role as "role",
  t.instruction as "instruction",
  t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  custom_styles t
where
  id = $1
for update;

-- lock_row_of_drafts
-- (bigint, uuid) returns (character varying, character varying, character varying, bigint, uuid, bigint, bigint, integer, character varying, text, bigint, text[], character varying, boolean, bigint, character varying, boolean, bigint, boolean, timestamp with time zone, timestamp with time zone, text, integer, timestamp with time zone, timestamp with time zone, boolean)
select
  t.description as "description",
  t.canonical_url as "canonicalUrl",
  t.language as "language",
  t.id as "id",
  t.key as "key",
  t.member_id as "memberId",
  t.article_id as "articleId",
  t.base_revision as "baseRevision",
  t.title as "title",
  t.content as "content",
  t.category_id as "categoryId",
  t.tags as "tags",
  t.slug as "slug",
  t.is_private as "isPrivate",
  t.image_id as "imageId",
  t.image_alt as "imageAlt",
  t.removes_image as "removesImage",
  t.translation_of as "translationOf",
  t.leaves_translations as "leavesTranslations",
  t.published_at as "publishedAt",
  t.publish_at as "publishAt",
  t.publication_error as "publicationError",
  t.revision as "revision",
  t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  drafts t
where
  id = $1
for update;

-- lock_row_of_members
-- (bigint, uuid) returns (bigint, character varying, timestamp with time zone, text, character varying, character varying, text, character varying, text, text, integer, timestamp with time zone, timestamp with time zone, boolean)
select
  t.id as "id",
  t.email as "email",
  t.pending_since as "pendingSince",
  t.password_hash as "passwordHash",
  t.member_name as "memberName",
  t.nickname as "nickname",
  t.nickname_skeleton as "nicknameSkeleton",
  t.bio as "bio",
  t.language as "language",
  t.profile_image as "profileImage",
  t.profile_image_side as "profileImageSide",
  t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  members t
where
  id = $1
for update;

-- lock_row_of_notifications
-- (bigint, uuid) returns (bigint, bigint, timestamp with time zone, boolean)
select
  t.id as "id",
  t.member_id as "memberId",
  t.read_at as "readAt",
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  notifications t
where
  id = $1
for update;
