-- add_invitation
-- (bytea, bigint) returns (timestamp with time zone)
with
  expired as (
    delete from invitations
    where
      expires_at < now()
  )
insert into
  invitations (token_hash, expires_at)
values
  ($1, now() + $2::bigint * interval '1 ms')
returning
  expires_at as "expiresAt";

-- use_invitation
-- (bytea) returns (timestamp with time zone)
delete from invitations
where
  token_hash = $1
  and expires_at > now()
returning
  expires_at as "expiresAt";

-- valid_invitation
-- (bytea) returns (timestamp with time zone)
select
  expires_at as "expiresAt"
from
  invitations
where
  token_hash = $1
  and expires_at > now();
