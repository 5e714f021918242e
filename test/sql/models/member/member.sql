-- end_unproven_access
-- (bigint, text, boolean) returns ()
with
  removed_passkeys as (
    delete from passkeys
    where
      member_id = $1
  ),
  removed_links as (
    delete from social_links
    where
      member_id = $1
      and (
        email is null
        or not lower(email::text collate "C") = lower($2::text collate "C")
      )
  ),
  removed_tokens as (
    delete from one_time_tokens
    where
      member_id = $1
      and not (
        $3::boolean
        and purpose = 'undo'
      )
  ),
  proven as (
    update members
    set
      registered_again = false
    where
      id = $1
      and registered_again
  ),
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

-- lock_by_email
-- (text) returns (bigint, character varying, boolean)
select
  id,
  email,
  email_verified_at is not null as "isVerified"
from
  members
where
  lower(email::text collate "C") = lower($1::text collate "C")
for no key update;

-- lock_email
-- (bigint) returns (character varying, boolean, boolean)
select
  email,
  email_verified_at is not null as "isVerified",
  registered_again as "isRegisteredAgain"
from
  members
where
  id = $1
for update;

-- lock_member_counts
-- (bigint, uuid) returns (boolean)
select
  (
    $2::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $2
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $2
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  member_counts
where
  member_id = $1
for update;

-- lock_nickname
-- (text) returns (void)
select
  pg_advisory_xact_lock(4270004, hashtext ($1));

-- lock_of_member
-- (bigint) returns (timestamp with time zone, boolean)
select
  locked_at as "lockedAt",
  email_verified_at is not null as "isVerified"
from
  members
where
  id = $1;

-- member_by_email
-- (text) returns (bigint, text)
select
  id,
  password_hash as "passwordHash"
from
  members
where
  lower(email::text collate "C") = lower($1::text collate "C");

-- member_by_nickname
-- (text) returns (bigint, character varying, boolean, character varying, character varying, character varying, text, integer, text, integer, integer, timestamp with time zone, timestamp with time zone, boolean)
select
  members.id as "id",
  email as "email",
  email_verified_at is not null as "emailVerified",
  member_name as "memberName",
  nickname as "nickname",
  bio as "bio",
  profile_image as "profileImage",
  profile_image_side as "profileImageSide",
  role as "role",
  (
    select
      c.articles
    from
      member_counts c
    where
      c.member_id = members.id
  ) as "articleCount",
  (
    select
      c.followers
    from
      member_counts c
    where
      c.member_id = members.id
  ) - case
    when exists (
      select
      from
        withdrawn_members
    ) then (
      select
        count(*)::integer
      from
        withdrawn_members w
        cross join lateral (
          select
          from
            follows x
          where
            x.member_id = members.id
            and x.follower_id = w.id
          offset
            0
        ) x
    )
    else 0
  end as "followerCount",
  members.created_at as "createdAt",
  members.updated_at as "updatedAt",
  pending_since is not null
  and email_verified_at is null as "isPending"
from
  members
where
  lower(nickname) = lower($1)
  and not (
    pending_since is not null
    and email_verified_at is null
  );

-- members_by_id
-- (bigint[]) returns (bigint, character varying, boolean, character varying, character varying, character varying, text, integer, text, integer, integer, timestamp with time zone, timestamp with time zone, boolean)
select
  members.id as "id",
  email as "email",
  email_verified_at is not null as "emailVerified",
  member_name as "memberName",
  nickname as "nickname",
  bio as "bio",
  profile_image as "profileImage",
  profile_image_side as "profileImageSide",
  role as "role",
  (
    select
      c.articles
    from
      member_counts c
    where
      c.member_id = members.id
  ) as "articleCount",
  (
    select
      c.followers
    from
      member_counts c
    where
      c.member_id = members.id
  ) - case
    when exists (
      select
      from
        withdrawn_members
    ) then (
      select
        count(*)::integer
      from
        withdrawn_members w
        cross join lateral (
          select
          from
            follows x
          where
            x.member_id = members.id
            and x.follower_id = w.id
          offset
            0
        ) x
    )
    else 0
  end as "followerCount",
  members.created_at as "createdAt",
  members.updated_at as "updatedAt",
  pending_since is not null
  and email_verified_at is null as "isPending"
from
  members
where
  id = any ($1::bigint[]);

-- password_of_member
-- (bigint, uuid) returns (text, boolean, boolean)
select
  m.password_hash as "passwordHash",
  m.email is not null as "hasEmail",
  coalesce(s.created_at > now() - interval '10 minutes', false) as "isLoginRecent"
from
  members m
  left join sessions s on s.id = $2
  and s.member_id = m.id
where
  m.id = $1;

-- replace_password_hash
-- (bigint, text, text) returns ()
update members
set
  password_hash = $3
where
  id = $1
  and password_hash = $2;

-- set_email
-- (bigint, text, boolean) returns ()
update members
set
  email = $2::text,
  registered_again = not (
    $3::boolean
    or (
      email_verified_at is not null
      and lower(email::text collate "C") = lower($2::text collate "C")
    )
  ),
  email_verified_at = case
    when $3::boolean
    or (
      email_verified_at is not null
      and lower(email::text collate "C") = lower($2::text collate "C")
    ) then now()
  end
where
  id = $1;

-- set_password
-- (bigint, text, text) returns ()
update members
set
  password_hash = $2,
  email_verified_at = case
    when lower(email::text collate "C") = lower($3::text collate "C") then coalesce(email_verified_at, now())
    else email_verified_at
  end
where
  id = $1;

-- taken_nicknames
-- (text[], text[]) returns (text)
select
  wanted as nickname
from
  unnest($1::text[], $2::text[]) as u (wanted, skeleton)
where
  exists (
    select
    from
      members
    where
      lower(members.nickname) = lower(wanted)
  )
  or exists (
    select
    from
      members
    where
      nickname_skeleton = skeleton
  );

-- verify_email
-- (bigint, text) returns (bigint)
update members
set
  email_verified_at = coalesce(email_verified_at, now())
where
  id = $1
  and lower(email::text collate "C") = lower($2::text collate "C")
returning
  id;
