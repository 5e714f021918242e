-- delete_unconfirmed_accounts
-- (double precision, bigint) returns (bigint)
delete from members
where
  id = any (
    array(
      select
        id
      from
        members m
      where
        pending_since < now() - $1 * interval '1 millisecond'
        and email_verified_at is null
        and not exists (
          select
          from
            all_articles
          where
            member_id = m.id
        )
        and not exists (
          select
          from
            comments
          where
            member_id = m.id
        )
      order by
        pending_since
      limit
        $2
      for update
        skip locked
    )
  )
returning
  id;

-- has_login_method
-- (bigint) returns (boolean)
select
  exists (
    select
    from
      members
    where
      id = $1
      and password_hash is not null
  )
  or exists (
    select
    from
      social_links
    where
      member_id = $1
  )
  or exists (
    select
    from
      passkeys
    where
      member_id = $1
  ) as exists;

-- lock_account_of_session
-- (bigint, uuid) returns (bigint, character varying, timestamp with time zone, text, character varying, character varying, text, character varying, text, text, integer, timestamp with time zone, timestamp with time zone, json)
select
  m.id as "id",
  m.email as "email",
  m.pending_since as "pendingSince",
  m.password_hash as "passwordHash",
  m.member_name as "memberName",
  m.nickname as "nickname",
  m.nickname_skeleton as "nicknameSkeleton",
  m.bio as "bio",
  m.language as "language",
  m.profile_image as "profileImage",
  m.profile_image_side as "profileImageSide",
  m.created_at as "createdAt",
  m.updated_at as "updatedAt",
  suspension_of (m.suspended_since, m.suspended_until, m.suspension_rule, m.suspension_statement) as suspension
from
  members m
  join sessions s on s.member_id = m.id
where
  m.id = $1
  and m.locked_at is null
  and s.id = $2
  and s.expires_at > now()
for update of
  m
for key share of
  s;
