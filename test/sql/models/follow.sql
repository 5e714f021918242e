-- follow_member
-- (bigint, bigint) returns (bigint, boolean)
with
  member as (
    select
      id
    from
      members
    where
      id = $1
      and not (
        pending_since is not null
        and email_verified_at is null
      )
      and require_not_suspended ($2)
  ),
  block as materialized (
    select
      b.member_id,
      b.blocked_id
    from
      member
      cross join lateral blocks_between ($2, array[member.id]) b
  ),
  recipients as (
    select
      m.id as member_id,
      s.email,
      coalesce(s.enabled, true) as is_notified
    from
      member m
      left join notification_settings s on s.member_id = m.id
      and s.type = 'FOLLOW'
    where
      not exists (
        select
        from
          block
      )
  ),
  followed as materialized (
    select
      member_id,
      email,
      follow_member ($2, member_id, is_notified) as is_notified
    from
      recipients
  ),
  present as (
    select
      member_id,
      email
    from
      followed
    where
      is_notified
  ),
  mailing as (
    select
      graphile_worker.add_job (
        'mail-notifications',
        json_build_object('memberId', member_id),
        priority => 10,
        queue_name => 'notifications-' || member_id % 2,
        job_key => 'mail-notifications:' || member_id,
        job_key_mode => 'preserve_run_at'
      )
    from
      present
    where
      email = 'AT_ONCE'
  )
select
  id as "memberId",
  exists (
    select
    from
      block
  ) as "isBlocked"
from
  member
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;

-- unfollow_member
-- (bigint, bigint) returns (bigint)
with
  unfollowed as (
    delete from follows
    where
      member_id = $1
      and follower_id = $2
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
