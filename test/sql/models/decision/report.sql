-- add_report
-- (bigint, bigint, text, text, timestamp with time zone) returns (bigint, bigint, bigint, bigint, text, text, timestamp with time zone)
with
  r as (
    insert into
      reports as o (case_id, reporter_id, reason, text)
    values
      ($1, $2, $3, $4)
    on conflict (case_id, reporter_id) do update
    set
      id = default,
      reason = excluded.reason,
      text = excluded.text,
      created_at = excluded.created_at
    where
      o.id <= (
        select
          k.decided_id
        from
          moderation_cases k
        where
          k.id = o.case_id
      )
      and (
        o.created_at < $5::timestamptz
        or o.created_at < now() - interval '30 days'
      )
    returning
      *
  )
select
  r.id as "id",
  k.article_id as "articleId",
  k.comment_id as "commentId",
  k.member_id as "memberId",
  r.reason as "reason",
  r.text as "text",
  r.created_at as "createdAt"
from
  r
  join moderation_cases k on k.id = r.case_id;

-- open_moderation_case
-- (bigint, bigint, bigint, bigint, reader) returns (bigint, timestamp with time zone)
with
  article as (
    select
      a.id,
      a.member_id,
      a.updated_at
    from
      all_articles a
    where
      a.id = $2
      and can_read (a.is_private, a.member_id, $5::reader)
    for key share of
      a
  ),
  comment as (
    select
      c.id,
      c.member_id,
      c.updated_at
    from
      comments c
      join all_articles a on a.id = c.article_id
    where
      c.id = $3
      and c.deleted_at is null
      and c.removed_at is null
      and can_read (a.is_private, a.member_id, $5::reader)
    for key share of
      c
  ),
  member as (
    select
      m.id,
      m.updated_at
    from
      members m
    where
      m.id = $4
      and not (
        pending_since is not null
        and email_verified_at is null
      )
    for key share of
      m
  ),
  target as materialized (
    select
      id as article_id,
      null::bigint as comment_id,
      null::bigint as member_id,
      member_id as author_id,
      updated_at
    from
      article
    union all
    select
      null,
      id,
      null,
      member_id,
      updated_at
    from
      comment
    union all
    select
      null,
      null,
      id,
      id,
      updated_at
    from
      member
  ),
  opened as (
    insert into
      moderation_cases as k (article_id, comment_id, member_id)
    select
      article_id,
      comment_id,
      member_id
    from
      target
    where
      author_id is distinct from $1
      and require_not_suspended ($1)
    on conflict (target) do update
    set
      opened_at = coalesce(k.opened_at, now())
    returning
      id
  )
select
  o.id as "caseId",
  t.updated_at as "changedAt"
from
  target t
  left join opened o on true;
