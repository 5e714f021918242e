-- export_profiles
-- (text, bigint) returns (character varying, text, character varying, text, timestamp with time zone, json)
select
  nickname,
  lower(nickname) as key,
  bio,
  profile_image as image,
  created_at as "createdAt",
  (
    select
      json_agg(
        json_build_object('title', s.title, 'description', s.description, 'updatedAt', s.updated_at at time zone 'UTC')
        order by
          s.title collate "C",
          s.id
      )
    from
      series s
    where
      s.member_id = members.id
  ) as series
from
  members
where
  lower(nickname) > $1
  and not (
    pending_since is not null
    and email_verified_at is null
  )
order by
  lower(nickname)
limit
  $2;
