-- add_passkey
-- (bigint, character varying, bytea, bytea, bigint, text[], boolean, boolean) returns (bigint, character varying, bytea, text[], boolean, timestamp with time zone, timestamp with time zone)
insert into
  passkeys (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
values
  ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (credential_id) do nothing
returning
  id as "id",
  name as "name",
  credential_id as "credentialId",
  transports as "transports",
  is_backed_up as "isBackedUp",
  created_at as "createdAt",
  last_used_at as "lastUsedAt";

-- assign_user_handle
-- (bigint) returns (uuid, character varying, character varying)
update members
set
  user_handle = coalesce(user_handle, gen_random_uuid())
where
  id = $1
returning
  user_handle as "userHandle",
  email,
  nickname;

-- count_passkeys
-- (bigint) returns (bigint)
select
  count(*) as count
from
  passkeys
where
  member_id = $1;

-- credential_record
-- (bytea) returns (bigint, bigint, uuid, bytea, bigint, boolean)
select
  p.id,
  p.member_id as "memberId",
  m.user_handle as "userHandle",
  p.public_key as "publicKey",
  p.counter,
  p.is_backup_eligible as "isBackupEligible"
from
  passkeys p
  join members m on m.id = p.member_id
where
  p.credential_id = $1;

-- delete_expired_challenges
-- (bigint) returns (bigint)
with
  deleted as (
    delete from used_challenges
    where
      signature in (
        select
          signature
        from
          used_challenges
        where
          expires_at < now() - interval '1 hour'
        order by
          expires_at
        limit
          $1
      )
    returning
      signature
  )
select
  count(*) as deleted
from
  deleted;

-- member_passkeys
-- (bigint) returns (bigint, character varying, bytea, text[], boolean, timestamp with time zone, timestamp with time zone)
select
  id as "id",
  name as "name",
  credential_id as "credentialId",
  transports as "transports",
  is_backed_up as "isBackedUp",
  created_at as "createdAt",
  last_used_at as "lastUsedAt"
from
  passkeys
where
  member_id = $1
order by
  id;

-- passkey_user
-- (bigint) returns (uuid, character varying, character varying)
select
  user_handle as "userHandle",
  email,
  nickname
from
  members
where
  id = $1
  and user_handle is not null;

-- remove_passkey
-- (bigint, bigint) returns (bigint, character varying, bytea, text[], boolean, timestamp with time zone, timestamp with time zone)
delete from passkeys
where
  id = $1
  and member_id = $2
returning
  id as "id",
  name as "name",
  credential_id as "credentialId",
  transports as "transports",
  is_backed_up as "isBackedUp",
  created_at as "createdAt",
  last_used_at as "lastUsedAt";

-- rename_passkey
-- (bigint, bigint, character varying) returns (bigint, character varying, bytea, text[], boolean, timestamp with time zone, timestamp with time zone)
update passkeys
set
  name = $3
where
  id = $1
  and member_id = $2
  and require_not_suspended (member_id)
returning
  id as "id",
  name as "name",
  credential_id as "credentialId",
  transports as "transports",
  is_backed_up as "isBackedUp",
  created_at as "createdAt",
  last_used_at as "lastUsedAt";

-- use_challenge
-- (bytea, timestamp with time zone) returns (timestamp with time zone)
insert into
  used_challenges (signature, expires_at)
values
  ($1, $2)
on conflict do nothing
returning
  expires_at as "expiresAt";

-- use_passkey
-- (bigint, bytea, timestamp with time zone, bigint, boolean) returns (bigint)
with
  used as (
    insert into
      used_challenges (signature, expires_at)
    values
      ($2, $3)
    on conflict do nothing
    returning
      signature
  )
update passkeys
set
  counter = $4,
  is_backed_up = $5,
  last_used_at = now()
where
  id = $1
  and exists (
    select
    from
      used
  )
  and (
    counter < $4
    or (
      counter = 0
      and $4 = 0
    )
  )
returning
  id;
