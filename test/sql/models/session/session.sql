-- end_all_access
-- (bigint) returns ()
with
  ended as (
    delete from sessions
    where
      member_id = $1
  ),
  unshared as (
    delete from share_links
    where
      member_id = $1
  )
delete from api_tokens
where
  member_id = $1;

-- end_other_sessions
-- (bigint, uuid, character varying, text, text, boolean) returns (uuid, text, text, timestamp with time zone, timestamp with time zone)
with
  ended as (
    delete from sessions
    where
      member_id = $1
      and id <> $2
    returning
      *
  ),
  event as (
    insert into
      security_events (member_id, kind, session_id, address, device)
    select
      member_id,
      $3,
      id,
      $4,
      $5
    from
      ended
    where
      expires_at > now()
  ),
  superseded as (
    delete from one_time_tokens
    where
      $6::boolean
      and member_id = $1
      and purpose <> 'undo'
  )
select
  id as "id",
  device as "device",
  address as "address",
  created_at as "createdAt",
  last_used_at as "lastUsedAt"
from
  ended
where
  expires_at > now();

-- end_session
-- (uuid, bigint, character varying, text, text) returns (uuid, text, text, timestamp with time zone, timestamp with time zone)
with
  ended as (
    delete from sessions
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
      $3,
      id,
      $4,
      $5
    from
      ended
  )
select
  id as "id",
  device as "device",
  address as "address",
  created_at as "createdAt",
  last_used_at as "lastUsedAt"
from
  ended;

-- live_access
-- (uuid[]) returns (uuid, boolean)
select
  id,
  false as "isSuspended"
from
  sessions
where
  id = any ($1::uuid[])
  and expires_at > now()
union all
select
  t.id,
  coalesce(m.suspended_until > now(), false)
from
  api_tokens t
  join members m on m.id = t.member_id
where
  t.id = any ($1::uuid[])
  and coalesce(t.expires_at > now(), true);

-- live_session
-- (uuid, bigint) returns (boolean, text, json)
select
  s.last_used_at < now() - interval '5 minutes' as "isStale",
  m.role,
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension
from
  sessions s
  join members m on m.id = s.member_id
where
  s.id = $1
  and s.member_id = $2
  and s.expires_at > now();

-- member_sessions
-- (bigint) returns (uuid, text, text, timestamp with time zone, timestamp with time zone)
select
  id as "id",
  device as "device",
  address as "address",
  created_at as "createdAt",
  last_used_at as "lastUsedAt"
from
  sessions
where
  member_id = $1
  and expires_at > now()
order by
  last_used_at desc,
  id;

-- open_session
-- (uuid, bigint, bytea, timestamp with time zone, timestamp with time zone, text, text, text, text, text, text, boolean, boolean, bigint, text) returns (boolean)
with
  owner as (
    select
      id
    from
      members
    where
      id = $2
      and locked_at is null
      and (
        $9::text is null
        or password_hash = $9
      )
      and (
        not $12::boolean
        or email_verified_at is not null
      )
    for share
  ),
  passkey as (
    select
      p.id
    from
      passkeys p
      join owner on owner.id = p.member_id
    where
      p.id = $14
    for key share of
      p
  ),
  link as (
    select
      l.id
    from
      social_links l
      join owner on owner.id = l.member_id
    where
      l.provider = $8
      and l.subject = $15
    for key share of
      l
  ),
  opened as (
    insert into
      sessions (id, member_id, refresh_hash, issued_at, expires_at, address, device)
    select
      $1,
      id,
      $3,
      $4,
      $5,
      $6,
      $7
    from
      owner
    where
      (
        $14::bigint is null
        or exists (
          select
          from
            passkey
        )
      )
      and (
        $15::text is null
        or exists (
          select
          from
            link
        )
      )
    returning
      id,
      member_id
  ),
  updated_member as (
    update members
    set
      language = $10,
      pending_since = null,
      email_verified_at = case
        when lower(email::text collate "C") = lower($11::text collate "C") then coalesce(email_verified_at, now())
        else email_verified_at
      end
    where
      id in (
        select
          member_id
        from
          opened
      )
      and (
        language <> $10
        or pending_since is not null
        or email_verified_at is null
        and lower(email::text collate "C") = lower($11::text collate "C")
      )
  ),
  event as (
    insert into
      security_events (member_id, kind, provider, session_id, address, device)
    select
      member_id,
      'LOGIN',
      $8,
      id,
      $6,
      $7
    from
      opened
  ),
  expired_events as (
    delete from security_events
    where
      id = any (
        array(
          select
            id
          from
            security_events
          where
            member_id = $2
          order by
            id
          limit
            100
        )
      )
      and created_at < now() - interval '180 days'
  ),
  ended as (
    delete from sessions
    where
      member_id = $2
      and (
        expires_at < now()
        or id in (
          select
            id
          from
            sessions
          where
            member_id = $2
          order by
            last_used_at desc,
            id
          offset
            99
        )
      )
  )
select
  $13
  and exists (
    select
    from
      security_events
    where
      member_id = $2
      and kind = 'LOGIN'
  )
  and not exists (
    select
    from
      security_events
    where
      member_id = $2
      and kind = 'LOGIN'
      and regexp_replace(device, '[0-9][0-9._]*', '', 'g') = regexp_replace($7, '[0-9][0-9._]*', '', 'g')
  ) as "isNewDevice"
from
  opened;

-- rotate_session
-- (uuid, bigint, bytea, bytea, timestamp with time zone, timestamp with time zone, text, text) returns (integer)
update sessions
set
  generation = generation + 1,
  previous_hash = refresh_hash,
  refresh_hash = $4,
  issued_at = $5,
  expires_at = $6,
  rotated_at = now(),
  last_used_at = now(),
  address = $7,
  device = $8
where
  id = $1
  and member_id = $2
  and refresh_hash = $3
  and expires_at > now()
returning
  generation;

-- session_successor
-- (uuid, bigint, bytea, integer) returns (integer, timestamp with time zone, timestamp with time zone, bytea, boolean)
select
  generation,
  issued_at as "issuedAt",
  expires_at as "expiresAt",
  refresh_hash as "refreshHash",
  coalesce(
    previous_hash = $3
    and rotated_at > now() - $4::integer * interval '1 ms',
    false
  ) as "isJustRetired"
from
  sessions
where
  id = $1
  and member_id = $2
  and expires_at > now();

-- touch_session
-- (uuid, text, text) returns ()
update sessions
set
  last_used_at = now(),
  address = $2,
  device = $3
where
  id = $1;
