-- count_custom_styles
-- (bigint) returns (bigint)
select
  count(*) as count
from
  custom_styles
where
  member_id = $1;

-- custom_style_of_member
-- (bigint, bigint) returns (bigint, bigint, character varying, character varying, character varying, timestamp with time zone, timestamp with time zone)
select
  id as "id",
  member_id as "memberId",
  name as "name",
  role as "role",
  instruction as "instruction",
  created_at as "createdAt",
  updated_at as "updatedAt"
from
  custom_styles
where
  id = $1
  and member_id = $2;

-- custom_styles_of_member
-- (bigint) returns (bigint, bigint, character varying, character varying, character varying, timestamp with time zone, timestamp with time zone)
select
  id as "id",
  member_id as "memberId",
  name as "name",
  role as "role",
  instruction as "instruction",
  created_at as "createdAt",
  updated_at as "updatedAt"
from
  custom_styles
where
  member_id = $1
order by
  lower(name),
  id;
