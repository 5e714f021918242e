-- export_find_member
-- (bigint, text) returns (bigint, character varying)
select
  id,
  nickname
from
  members
where
  id = $1::bigint
  or lower(email::text collate "C") = lower($2::text collate "C");
