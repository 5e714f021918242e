-- bytes_of_moderation_target
-- (bigint, bigint) returns (integer)
select
  octet_length(content) as bytes
from
  all_articles
where
  id = coalesce(
    $1,
    (
      select
        d.article_id
      from
        decisions d
      where
        d.id = $2
    )
  );

-- close_moderation_case
-- (bigint, bigint) returns (boolean)
update moderation_cases k
set
  opened_at = null,
  decided_id = coalesce(
    (
      select
        max(r.id)
      from
        reports r
      where
        r.case_id = k.id
    ),
    0
  )
where
  k.id = $1
returning
  exists (
    select
    from
      reports r
    where
      r.case_id = $1
      and r.id > $2
      and r.reason = 'SPAM'
  ) as "isSpam";

-- find_moderation_target
-- (bigint, bigint, bigint) returns (bigint, bigint, boolean)
select
  member_id as "authorId",
  null as "articleAuthorId",
  removed_at is not null as "isRemoved"
from
  all_articles
where
  id = $1
union all
select
  c.member_id,
  a.member_id,
  c.removed_at is not null
  or a.removed_at is not null
from
  all_comments c
  join all_articles a on a.id = c.article_id
where
  c.id = $2
  and c.deleted_at is null
union all
select
  id,
  null,
  false
from
  members
where
  id = $3
  and not (
    pending_since is not null
    and email_verified_at is null
  );

-- has_access
-- (uuid) returns (boolean)
select
  (
    $1::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $1
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $1
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess";

-- lock_concerned_members
-- (bigint[]) returns (bigint, text, text, json)
select
  m.id,
  m.role,
  m.language,
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension
from
  members m
where
  m.id = any ($1::bigint[])
order by
  m.id
for no key update;

-- lock_moderation_case
-- (bigint, bigint, bigint) returns (bigint, bigint, boolean)
select
  id,
  decided_id as "decidedId",
  opened_at is not null as "isOpen"
from
  moderation_cases
where
  article_id = $1
  or comment_id = $2
  or member_id = $3
for update;

-- revision_of_moderation_target
-- (bigint, bigint, bigint) returns (text)
select
  concat_ws(
    '-',
    coalesce(
      (
        select
          x.revision
        from
          articles x
        where
          x.id = $1
      ),
      (
        select
          x.revision
        from
          comments x
          join articles y on y.id = x.article_id
        where
          x.id = $2
          and x.deleted_at is null
      ),
      (
        select
          x.revision
        from
          held_comments x
          join articles y on y.id = x.article_id
        where
          x.id = $2
      ),
      (
        select
          (
            extract(
              epoch
              from
                x.updated_at
            ) * 1000
          )::bigint
        from
          members x
        where
          x.id = $3
      ),
      0
    ),
    coalesce(
      (
        select
          max(r.id)
        from
          moderation_cases x
          join reports r on r.case_id = x.id
        where
          x.article_id = $1
          or x.comment_id = $2
          or x.member_id = $3
      ),
      0
    ),
    coalesce(
      greatest(
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.article_id = $1
        ),
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.comment_id = $2
        ),
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.member_id = $3
            and x.article_id is null
            and x.comment_id is null
        )
      ),
      0
    )
  ) as revision;
