-- export_api-tokens.json
-- (bigint) returns (character varying, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone)
select
  name,
  scopes,
  created_at as "createdAt",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt"
from
  api_tokens
where
  member_id = $1
order by
  created_at,
  id;

-- export_article-revisions.json
-- (bigint, bigint, integer, bigint) returns (bigint, integer, character varying, character varying, text, text[], timestamp with time zone)
select
  a.id as "articleId",
  r.number,
  r.title,
  r.description as "description",
  r.content,
  r.tags,
  r.created_at as "createdAt"
from
  (
    select
      id
    from
      all_articles
    where
      member_id = $1
      and id >= $2
    order by
      id
  ) a
  cross join lateral (
    select
      *
    from
      article_revisions
    where
      article_id = a.id
      and (
        a.id > $2
        or number > $3
      )
    order by
      number
    limit
      $4
  ) r
order by
  a.id,
  r.number
limit
  $4;

-- export_articles.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, uuid, character varying, character varying, character varying, character varying, character varying, text, text, character varying, text, character varying, integer, text, text, text[], text[], character varying, timestamp with time zone, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select
  a.id,
  a.key,
  a.title,
  a.slug,
  a.description as "description",
  a.canonical_url as "canonicalUrl",
  a.language as "language",
  a.content,
  case
    when a.is_private then 'PRIVATE'
    else 'PUBLIC'
  end as visibility,
  k.name as category,
  a.image,
  a.image_alt as "imageAlt",
  a.revision,
  a.ai_summary as "aiSummary",
  s.status as "summaryStatus",
  s.tags as "summaryTags",
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
  )::text[] as tags,
  (
    select
      g.key
    from
      translation_groups g
    where
      g.id = a.translation_group_id
  ) as "translationKey",
  a.removed_at as "removedAt",
  a.created_at as "publishedAt",
  a.created_at as "createdAt",
  a.updated_at as "updatedAt"
from
  all_articles a
  join categories k on k.id = a.category_id
  left join article_summaries s on s.article_id = a.id
where
  a.member_id = $1
  and (a.created_at, a.id) > ($2, $3)
order by
  a.created_at,
  a.id
limit
  $4;

-- export_blocks.json
-- (bigint) returns (bigint, character varying, timestamp with time zone)
select
  b.blocked_id as id,
  m.nickname,
  b.created_at as "createdAt"
from
  blocks b
  join members m on m.id = b.blocked_id
where
  b.member_id = $1
order by
  b.created_at,
  b.blocked_id;

-- export_bookmarks.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, character varying, timestamp with time zone)
select
  x.article_id as id,
  case
    when can_read (a.is_private, a.member_id, reader_of ($1)) then a.title
  end as title,
  x.created_at as "createdAt"
from
  bookmarks x
  join all_articles a on a.id = x.article_id
where
  x.member_id = $1
  and (x.created_at, x.article_id) > ($2, $3)
order by
  x.created_at,
  x.article_id
limit
  $4;

-- export_categories.json
-- (bigint) returns (bigint, character varying, boolean)
select
  id,
  name,
  is_default as "isDefault"
from
  categories
where
  member_id = $1
order by
  id;

-- export_comments.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, bigint, character varying, bigint, character varying, boolean, boolean, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select
  c.id,
  c.article_id as "articleId",
  case
    when can_read (a.is_private, a.member_id, reader_of ($1)) then a.title
  end as "articleTitle",
  c.parent_id as "parentId",
  c.content,
  c.is_hidden as hidden,
  c.held_at is not null as held,
  c.removed_at as "removedAt",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt"
from
  all_comments c
  join all_articles a on a.id = c.article_id
where
  c.member_id = $1
  and (c.created_at, c.id) > ($2, $3)
order by
  c.created_at,
  c.id
limit
  $4;

-- export_custom-styles.json
-- (bigint) returns (bigint, character varying, character varying, character varying, timestamp with time zone, timestamp with time zone)
select
  id,
  name,
  role,
  instruction,
  created_at as "createdAt",
  updated_at as "updatedAt"
from
  custom_styles
where
  member_id = $1
order by
  id;

-- export_decisions.json
-- (bigint, bigint, bigint) returns (bigint, text, bigint, bigint, bigint, timestamp with time zone, text, text, timestamp with time zone, text, timestamp with time zone)
select
  d.id,
  d.action,
  d.article_id as "articleId",
  d.comment_id as "commentId",
  d.appeal_of as "appealOf",
  d.until,
  d.rule,
  d.statement,
  d.created_at as "createdAt",
  a.text as appeal,
  a.created_at as "appealedAt"
from
  decisions d
  left join appeals a on a.decision_id = d.id
where
  d.member_id = $1
  and d.action not in ('DISMISS', 'APPROVE')
  and d.id > $2
order by
  d.id
limit
  $3;

-- export_drafts.json
-- (bigint, bigint, bigint) returns (bigint, uuid, bigint, integer, character varying, character varying, character varying, character varying, text, character varying, text[], character varying, boolean, text, character varying, boolean, timestamp with time zone, timestamp with time zone, bigint, text, integer, json, timestamp with time zone, timestamp with time zone)
select
  d.id,
  d.key,
  d.article_id as "articleId",
  d.base_revision as "baseRevision",
  d.title,
  d.description as "description",
  d.canonical_url as "canonicalUrl",
  d.language as "language",
  d.content,
  k.name as category,
  d.tags,
  d.slug,
  d.is_private as private,
  i.key as image,
  d.image_alt as "imageAlt",
  d.removes_image as "removesImage",
  d.published_at as "publishedAt",
  d.publish_at as "publishAt",
  case
    when d.leaves_translations then 0
    else d.translation_of
  end as "translationOf",
  d.publication_error as "publicationError",
  d.revision,
  (
    select
      coalesce(
        json_agg(
          json_build_object(
            'number',
            r.number,
            'title',
            r.title,
            'description',
            r.description,
            'content',
            r.content,
            'tags',
            r.tags,
            'createdAt',
            r.created_at
          )
          order by
            r.number
        ),
        '[]'
      )
    from
      draft_revisions r
    where
      r.draft_id = d.id
  ) as revisions,
  d.created_at as "createdAt",
  d.updated_at as "updatedAt"
from
  drafts d
  left join categories k on k.id = d.category_id
  left join images i on i.id = d.image_id
where
  d.member_id = $1
  and d.id > $2
order by
  d.id
limit
  $3;

-- export_following.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, character varying, timestamp with time zone)
select
  f.member_id as id,
  m.nickname,
  f.created_at as "createdAt"
from
  follows f
  join members m on m.id = f.member_id
where
  f.follower_id = $1
  and (f.created_at, f.member_id) > ($2, $3)
order by
  f.created_at,
  f.member_id
limit
  $4;

-- export_images.json
-- (bigint, bigint, bigint) returns (bigint, text, integer, integer, timestamp with time zone, json)
select
  id,
  key as image,
  width,
  height,
  created_at as "createdAt",
  (
    select
      coalesce(
        json_agg(
          r.article_id
          order by
            r.article_id
        ),
        '[]'
      )
    from
      article_images r
      join all_articles a on a.id = r.article_id
    where
      r.image_id = images.id
      and can_read (a.is_private, a.member_id, reader_of ($1))
  ) as "articleIds"
from
  images
where
  member_id = $1
  and id > $2
order by
  id
limit
  $3;

-- export_imported.json
-- (bigint) returns (text, text)
select
  source,
  key
from
  imported_records
where
  kind = 'member'
  and row_id = $1
order by
  source,
  key;

-- export_likes.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, character varying, timestamp with time zone)
select
  x.article_id as id,
  case
    when can_read (a.is_private, a.member_id, reader_of ($1)) then a.title
  end as title,
  x.created_at as "createdAt"
from
  reactions x
  join all_articles a on a.id = x.article_id
where
  x.kind = 'LIKE'
  and x.member_id = $1
  and (x.created_at, x.article_id) > ($2, $3)
order by
  x.created_at,
  x.article_id
limit
  $4;

-- export_links.json
-- (bigint) returns (text, character varying, timestamp with time zone, timestamp with time zone)
select
  purpose,
  email,
  created_at as "createdAt",
  expires_at as "expiresAt"
from
  one_time_tokens
where
  member_id = $1
order by
  id;

-- export_notification-settings.json
-- (bigint) returns (character varying, boolean, text)
select
  type,
  enabled,
  email
from
  notification_settings
where
  member_id = $1
order by
  type;

-- export_notifications.json
-- (bigint, bigint, bigint) returns (bigint, character varying, bigint, character varying, bigint, character varying, bigint, bigint, character varying, character varying, timestamp with time zone, timestamp with time zone)
select
  n.id,
  n.type,
  n.article_id as "articleId",
  case
    when n.draft_id is null then s.title
  end as "articleTitle",
  n.draft_id as "draftId",
  case
    when n.draft_id is not null then s.title
  end as "draftTitle",
  n.comment_id as "commentId",
  (s.decision ->> 'id')::bigint as "decisionId",
  m.nickname as actor,
  n.outcome,
  n.read_at as "readAt",
  n.created_at as "createdAt"
from
  notifications n
  join lateral (
    select
      a.title,
      a.slug,
      case
        when n.type = 'ARTICLE' then a.member_id
        else n.actor_id
      end as actor_id,
      null::json as decision
    from
      all_articles a
    where
      a.id = n.article_id
      and can_read (a.is_private, a.member_id, reader_of ($1))
      and not (
        n.type = 'ARTICLE'
        and exists (
          select
          from
            ended_articles e
          where
            e.article_id = n.article_id
            and n.id <= e.notification_id
        )
      )
    union all
    select
      d.title,
      null,
      n.actor_id,
      null
    from
      drafts d
    where
      d.id = n.draft_id
      and d.member_id = (reader_of ($1)).draft_reader_id
    union all
    select
      '',
      null,
      n.actor_id,
      null
    where
      n.type = 'FOLLOW'
      and not n.actor_id in (
        select
          w.id
        from
          withdrawn_members w
      )
    union all
    select
      coalesce(a.title, ''),
      null,
      null,
      json_build_object(
        'id',
        case
          when d.member_id = n.member_id then d.id
        end,
        'action',
        d.action,
        'target',
        case
          when d.comment_id is not null then 'COMMENT'
          when d.article_id is not null then 'ARTICLE'
        end
      )
    from
      decisions d
      left join comments c on c.id = d.comment_id
      left join all_articles a on a.id = coalesce(d.article_id, c.article_id)
      and can_read (a.is_private, a.member_id, reader_of ($1))
    where
      d.id = n.decision_id
  ) s on true
  left join members m on m.id = s.actor_id
where
  n.member_id = $1
  and n.id > $2
order by
  n.id
limit
  $3;

-- export_passkeys.json
-- (bigint) returns (character varying, text[], boolean, timestamp with time zone, timestamp with time zone)
select
  name,
  transports,
  is_backed_up as "backedUp",
  created_at as "createdAt",
  last_used_at as "lastUsedAt"
from
  passkeys
where
  member_id = $1
order by
  id;

-- export_profile.json
-- (bigint) returns (bigint, character varying, timestamp with time zone, character varying, character varying, character varying, text, text, boolean, text, json, timestamp with time zone, timestamp with time zone)
select
  id,
  email,
  email_verified_at as "emailVerifiedAt",
  member_name as "memberName",
  nickname,
  bio,
  language,
  profile_image as image,
  password_hash is not null as "hasPassword",
  role,
  suspension_of (members.suspended_since, members.suspended_until, members.suspension_rule, members.suspension_statement) as suspension,
  created_at as "createdAt",
  updated_at as "updatedAt"
from
  members
where
  id = $1;

-- export_reports.json
-- (bigint, bigint, bigint) returns (bigint, bigint, bigint, bigint, text, text, timestamp with time zone)
select
  r.id,
  k.article_id as "articleId",
  k.comment_id as "commentId",
  k.member_id as "memberId",
  r.reason,
  r.text,
  r.created_at as "createdAt"
from
  reports r
  join moderation_cases k on k.id = r.case_id
where
  r.reporter_id = $1
  and r.id > $2
order by
  r.id
limit
  $3;

-- export_security-events.json
-- (bigint, bigint, bigint) returns (bigint, character varying, character varying, text, text, timestamp with time zone)
select
  id,
  kind,
  provider,
  device,
  address,
  created_at as "createdAt"
from
  security_events
where
  member_id = $1
  and id > $2
order by
  id
limit
  $3;

-- export_series.json
-- (bigint) returns (bigint, character varying, character varying, json, timestamp with time zone, timestamp with time zone)
select
  id,
  title,
  description,
  array_to_json(
    array(
      select
        a.id
      from
        all_articles a
      where
        a.series_id = s.id
      order by
        a.series_position,
        a.id
    )
  ) as "articleIds",
  created_at as "createdAt",
  updated_at as "updatedAt"
from
  series s
where
  member_id = $1
order by
  id;

-- export_sessions.json
-- (bigint) returns (text, text, timestamp with time zone, timestamp with time zone, timestamp with time zone)
select
  device,
  address,
  created_at as "createdAt",
  last_used_at as "lastUsedAt",
  expires_at as "expiresAt"
from
  sessions
where
  member_id = $1
order by
  created_at,
  id;

-- export_share-links.json
-- (bigint) returns (bigint, bigint, timestamp with time zone, timestamp with time zone)
select
  draft_id as "draftId",
  article_id as "articleId",
  created_at as "createdAt",
  expires_at as "expiresAt"
from
  share_links
where
  member_id = $1
order by
  created_at,
  draft_id,
  article_id;

-- export_social-links.json
-- (bigint) returns (character varying, character varying, character varying, timestamp with time zone)
select
  provider,
  subject,
  email,
  created_at as "createdAt"
from
  social_links
where
  member_id = $1
order by
  id;

-- export_statistics.json
-- (bigint, timestamp with time zone, bigint, bigint) returns (bigint, character varying, integer, integer, bigint, integer, json, timestamp with time zone)
select
  a.id,
  a.title,
  coalesce(r.views, 0) as "viewCount",
  coalesce(r.likes, 0) - case
    when exists (
      select
      from
        withdrawn_members
    ) then reactions_of_withdrawn (r.article_id, 'LIKE')
    else 0
  end as "likeCount",
  (
    select
      count(*)
    from
      bookmarks
    where
      article_id = a.id
  ) as "bookmarkCount",
  a.comment_count as "commentCount",
  (
    select
      coalesce(
        json_agg(
          json_build_object('date', d.day, 'count', d.views)
          order by
            d.day
        ),
        '[]'
      )
    from
      article_view_days d
    where
      d.article_id = a.id
  ) as views,
  a.created_at as "createdAt"
from
  all_articles a
  left join article_counts r on r.article_id = a.id
where
  a.member_id = $1
  and (a.created_at, a.id) > ($2, $3)
order by
  a.created_at,
  a.id
limit
  $4;
