-- administered_member
-- (bigint, text) returns (bigint, character varying, boolean, character varying, character varying, timestamp with time zone, timestamp with time zone, text, json, text, text[], integer, integer, integer, integer, integer)
select
  m.id,
  m.email,
  m.email_verified_at is not null as "emailVerified",
  m.nickname,
  m.member_name as "memberName",
  m.created_at as "createdAt",
  m.locked_at as "lockedAt",
  m.role,
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension,
  m.password_hash as "passwordHash",
  array(
    select
      provider::text
    from
      social_links
    where
      member_id = m.id
    order by
      provider
  ) as providers,
  (
    select
      count(*)::integer
    from
      passkeys
    where
      member_id = m.id
  ) as passkeys,
  c.articles + c.private_articles as articles,
  c.comments,
  (
    select
      count(*)::integer
    from
      sessions
    where
      member_id = m.id
      and expires_at > now()
  ) as sessions,
  (
    select
      count(*)::integer
    from
      api_tokens
    where
      member_id = m.id
      and coalesce(expires_at > now(), true)
  ) as "apiTokens"
from
  members m
  join member_counts c on c.member_id = m.id
where
  m.id = $1::bigint
  or lower(m.email::text collate "C") = lower($2::text collate "C");

-- administered_members
-- (bigint, text, boolean, bigint) returns (bigint, character varying, boolean, character varying, character varying, timestamp with time zone, timestamp with time zone, text, json, text, text[], integer, integer, integer, integer, integer)
select
  m.id,
  m.email,
  m.email_verified_at is not null as "emailVerified",
  m.nickname,
  m.member_name as "memberName",
  m.created_at as "createdAt",
  m.locked_at as "lockedAt",
  m.role,
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension,
  m.password_hash as "passwordHash",
  array(
    select
      provider::text
    from
      social_links
    where
      member_id = m.id
    order by
      provider
  ) as providers,
  (
    select
      count(*)::integer
    from
      passkeys
    where
      member_id = m.id
  ) as passkeys,
  c.articles + c.private_articles as articles,
  c.comments,
  (
    select
      count(*)::integer
    from
      sessions
    where
      member_id = m.id
      and expires_at > now()
  ) as sessions,
  (
    select
      count(*)::integer
    from
      api_tokens
    where
      member_id = m.id
      and coalesce(expires_at > now(), true)
  ) as "apiTokens"
from
  members m
  join member_counts c on c.member_id = m.id
where
  m.id > $1
  and (
    $2::text is null
    or strpos(lower(concat_ws(' ', m.nickname, m.email)), lower($2)) > 0
  )
  and (
    not $3::boolean
    or m.locked_at is not null
  )
  and (
    m.pending_since is null
    or m.email not like '%@taken.invalid'
  )
order by
  m.id
limit
  $4;

-- lock_account
-- (bigint) returns (bigint)
update members
set
  locked_at = now()
where
  id = $1
  and locked_at is null
returning
  id;

-- lock_roles
-- (bigint[]) returns (bigint, text)
select
  id,
  role
from
  members
where
  (
    id = any ($1::bigint[])
    or role = 'ADMIN'
  )
  and not (
    pending_since is not null
    and email_verified_at is null
  )
order by
  id
for update;

-- lock_unlocked_member
-- (bigint) returns (bigint)
select
  id
from
  members
where
  id = $1
  and locked_at is null
for update;

-- set_role
-- (bigint, text) returns ()
update members
set role = $2
where
  id = $1;

-- unlock_account
-- (bigint) returns (bigint)
update members
set
  locked_at = null
where
  id = $1
  and locked_at is not null
returning
  id;
