-- author_of_schedule
-- (bigint) returns (boolean, json)
select
  locked_at is not null as "isLocked",
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension
from
  members m
where
  id = $1
for share;

-- category_for_draft
-- (bigint, bigint) returns (bigint)
select
  id
from
  categories
where
  member_id = $1
  and (
    id = $2
    or is_default
  )
order by
  id = $2 desc nulls last
limit
  1
for key share;

-- conflicts_of_draft
-- (bigint) returns (integer, boolean, boolean, boolean)
select
  a.revision,
  a.removed_at is not null as "isRemoved",
  not d.is_private
  and exists (
    select
    from
      article_slugs s
    where
      s.slug = d.slug
      and s.article_id is distinct from d.article_id
  ) as "isSlugTaken",
  exists (
    select
    from
      all_articles o
    where
      o.language = d.language
      and o.id is distinct from d.article_id
      and (
        o.id = d.translation_of
        or o.translation_group_id = case
          when d.translation_of is not null then t.translation_group_id
          when not d.leaves_translations then a.translation_group_id
        end
      )
  ) as "isTranslated"
from
  drafts d
  left join all_articles a on a.id = d.article_id
  left join all_articles t on t.id = d.translation_of
where
  d.id = $1;

-- continue_schedule
-- (bigint) returns (graphile_worker._private_jobs)
select
  graphile_worker.add_job (
    'publish-drafts',
    json_build_object('draftId', id),
    queue_name => 'publications-0',
    job_key => 'publish-drafts:' || id,
    run_at => least(publish_at, now() + interval '1 day')
  )
from
  drafts
where
  id = $1
  and publish_at > now();

-- draft_to_publish
-- (bigint, bigint) returns (character varying, character varying, character varying, bigint, uuid, bigint, bigint, integer, character varying, text, bigint, text[], character varying, boolean, bigint, character varying, boolean, bigint, boolean, timestamp with time zone, timestamp with time zone, text, integer, timestamp with time zone, timestamp with time zone)
select
  d.description as "description",
  d.canonical_url as "canonicalUrl",
  d.language as "language",
  d.id as "id",
  d.key as "key",
  d.member_id as "memberId",
  d.article_id as "articleId",
  d.base_revision as "baseRevision",
  d.title as "title",
  d.content as "content",
  d.category_id as "categoryId",
  d.tags as "tags",
  d.slug as "slug",
  d.is_private as "isPrivate",
  d.image_id as "imageId",
  d.image_alt as "imageAlt",
  d.removes_image as "removesImage",
  d.translation_of as "translationOf",
  d.leaves_translations as "leavesTranslations",
  d.published_at as "publishedAt",
  d.publish_at as "publishAt",
  d.publication_error as "publicationError",
  d.revision as "revision",
  d.created_at as "createdAt",
  d.updated_at as "updatedAt"
from
  drafts d
where
  d.id = $1
  and d.member_id = $2;

-- due_draft
-- (bigint) returns (character varying, character varying, character varying, bigint, uuid, bigint, bigint, integer, character varying, text, bigint, text[], character varying, boolean, bigint, character varying, boolean, bigint, boolean, timestamp with time zone, timestamp with time zone, text, integer, timestamp with time zone, timestamp with time zone)
select
  d.description as "description",
  d.canonical_url as "canonicalUrl",
  d.language as "language",
  d.id as "id",
  d.key as "key",
  d.member_id as "memberId",
  d.article_id as "articleId",
  d.base_revision as "baseRevision",
  d.title as "title",
  d.content as "content",
  d.category_id as "categoryId",
  d.tags as "tags",
  d.slug as "slug",
  d.is_private as "isPrivate",
  d.image_id as "imageId",
  d.image_alt as "imageAlt",
  d.removes_image as "removesImage",
  d.translation_of as "translationOf",
  d.leaves_translations as "leavesTranslations",
  d.published_at as "publishedAt",
  d.publish_at as "publishAt",
  d.publication_error as "publicationError",
  d.revision as "revision",
  d.created_at as "createdAt",
  d.updated_at as "updatedAt"
from
  drafts d
where
  d.id = $1
  and d.publish_at <= now();

-- due_drafts
-- (bigint[]) returns (bigint)
select
  id
from
  (
    select distinct
      on (member_id) id,
      publish_at
    from
      drafts
    where
      publish_at <= now()
      and id <> all ($1::bigint[])
    order by
      member_id,
      publish_at,
      id
  ) d
order by
  publish_at,
  id
limit
  1000;

-- fail_publication
-- (bigint, timestamp with time zone, integer, text) returns (bigint)
update drafts
set
  publish_at = null,
  publication_error = $4
where
  id = $1
  and publish_at = $2
  and revision = $3
returning
  member_id as "memberId";

-- image_for_draft
-- (bigint) returns (text, integer, integer)
select
  key,
  width,
  height
from
  images
where
  id = $1
for key share;

-- resume_schedules
-- (bigint, bigint) returns (bigint, bigint)
with
  batch as (
    select
      id,
      publish_at
    from
      drafts
    where
      publish_at is not null
      and id > $1
    order by
      id
    limit
      $2
  ),
  lost as (
    select
      id,
      publish_at
    from
      batch
    where
      not exists (
        select
        from
          graphile_worker.jobs j
        where
          j.key = 'publish-drafts:' || batch.id
          and (
            j.attempts < j.max_attempts
            or j.locked_at is not null
          )
      )
  ),
  added as (
    select
      graphile_worker.add_job (
        'publish-drafts',
        json_build_object('draftId', id),
        queue_name => 'publications-0',
        job_key => 'publish-drafts:' || id,
        run_at => least(publish_at, now() + interval '1 day')
      )
    from
      lost
  )
select
  (
    select
      count(*)
    from
      added
  ) as added,
  (
    select
      max(id)
    from
      batch
  ) as last;

-- schedule_draft
-- (bigint, timestamp with time zone) returns (graphile_worker._private_jobs)
with
  scheduled as (
    update drafts
    set
      publish_at = $2,
      publication_error = null
    where
      id = $1
    returning
      id,
      publish_at
  )
select
  graphile_worker.add_job (
    'publish-drafts',
    json_build_object('draftId', id),
    queue_name => 'publications-0',
    job_key => 'publish-drafts:' || id,
    run_at => least(publish_at, now() + interval '1 day')
  )
from
  scheduled;

-- unschedule_draft
-- (bigint) returns ()
update drafts
set
  publish_at = null,
  publication_error = null
where
  id = $1
  and num_nonnulls (publish_at, publication_error) > 0;
