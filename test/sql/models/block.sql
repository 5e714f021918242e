-- block_member
-- (bigint, bigint) returns (bigint)
with
  blocked as materialized (
    select
      id,
      block_member ($2, id, 1000)
    from
      members
    where
      id = $1
      and not (
        pending_since is not null
        and email_verified_at is null
      )
      and require_not_suspended ($2)
  )
select
  id as "memberId"
from
  blocked;

-- unblock_member
-- (bigint, bigint) returns (bigint)
with
  unblocked as (
    delete from blocks
    where
      member_id = $2
      and blocked_id = $1
  )
select
  id as "memberId"
from
  members
where
  id = $1
  and not (
    pending_since is not null
    and email_verified_at is null
  );
