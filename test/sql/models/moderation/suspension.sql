-- suspend_member
-- (bigint, timestamp with time zone, text, text) returns ()
update members
set
  suspended_since = now(),
  suspended_until = coalesce($2::timestamptz, 'infinity'),
  suspension_rule = $3,
  suspension_statement = $4
where
  id = $1;

-- unsuspend_member
-- (bigint) returns (bigint)
update members m
set
  suspended_since = null,
  suspended_until = null,
  suspension_rule = null,
  suspension_statement = null
where
  id = $1
  and suspended_until > now()
returning
  id;
