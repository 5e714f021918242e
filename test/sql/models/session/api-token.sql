-- add_api_token
-- (uuid, bigint, bytea, character varying, text[], timestamp with time zone) returns (uuid, character varying, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone)
insert into
  api_tokens (id, member_id, token_hash, name, scopes, expires_at)
select
  $1,
  $2,
  $3,
  $4,
  $5,
  $6
where
  (
    select
      count(*)
    from
      api_tokens
    where
      member_id = $2
  ) < 50
returning
  id as "id",
  name as "name",
  scopes as "scopes",
  created_at as "createdAt",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt";

-- api_token_by_hash
-- (bytea) returns (uuid, bigint, text[], timestamp with time zone, boolean, boolean, json)
select
  t.id,
  t.member_id as "memberId",
  t.scopes,
  t.expires_at as "expiresAt",
  coalesce(t.expires_at <= now(), false) as "isExpired",
  coalesce(t.last_used_at < date_trunc('minute', now()), true) as "isStale",
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension
from
  api_tokens t
  join members m on m.id = t.member_id
where
  t.token_hash = $1;

-- delete_api_token
-- (uuid, bigint, uuid, text, text) returns (uuid, character varying, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone)
with
  removed as (
    delete from api_tokens
    where
      id = $1
      and member_id = $2
    returning
      *
  ),
  event as (
    insert into
      security_events (member_id, kind, session_id, address, device)
    select
      member_id,
      'API_TOKEN_DELETED',
      $3,
      $4,
      $5
    from
      removed
  )
select
  id as "id",
  name as "name",
  scopes as "scopes",
  created_at as "createdAt",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt"
from
  removed;

-- member_api_tokens
-- (bigint) returns (uuid, character varying, text[], timestamp with time zone, timestamp with time zone, timestamp with time zone)
select
  id as "id",
  name as "name",
  scopes as "scopes",
  created_at as "createdAt",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt"
from
  api_tokens
where
  member_id = $1
order by
  created_at desc,
  id;

-- touch_api_token
-- (uuid) returns ()
update api_tokens
set
  last_used_at = date_trunc('minute', now())
where
  id = (
    select
      id
    from
      api_tokens
    where
      id = $1
      and (
        last_used_at is null
        or last_used_at < date_trunc('minute', now())
      )
    for update
      skip locked
  );
