-- add_link
-- (bigint, character varying, character varying, text) returns (bigint, bigint, character varying, character varying, timestamp with time zone)
with
  verified as (
    update members
    set
      email_verified_at = now()
    where
      id = $1
      and lower(email::text collate "C") = lower($4::text collate "C")
      and email_verified_at is null
  )
insert into
  social_links (member_id, provider, subject, email)
values
  ($1, $2, $3, $4)
returning
  id as "id",
  member_id as "memberId",
  provider as "provider",
  email as "email",
  created_at as "createdAt";

-- link_by_subject
-- (text, text) returns (bigint, bigint, character varying, character varying, timestamp with time zone)
select
  id as "id",
  member_id as "memberId",
  provider as "provider",
  email as "email",
  created_at as "createdAt"
from
  social_links
where
  provider = $1
  and subject = $2;

-- member_links
-- (bigint) returns (bigint, bigint, character varying, character varying, timestamp with time zone)
select
  id as "id",
  member_id as "memberId",
  provider as "provider",
  email as "email",
  created_at as "createdAt"
from
  social_links
where
  member_id = $1
order by
  id;

-- remove_link
-- (bigint, text) returns (bigint, bigint, character varying, character varying, timestamp with time zone)
delete from social_links
where
  member_id = $1
  and provider = $2
returning
  id as "id",
  member_id as "memberId",
  provider as "provider",
  email as "email",
  created_at as "createdAt";
