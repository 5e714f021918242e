-- import_member_with_email
-- (text) returns (bigint)
select
  id
from
  members
where
  lower(email::text collate "C") = lower($1::text collate "C")
  and pending_since is null;
