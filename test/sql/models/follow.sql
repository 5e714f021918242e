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
      email,
      $2::bigint as actor_id
    from
      followed
    where
      is_notified
  ),
  mailing as (
    select
      graphile_worker.add_job (
        'mail-notifications',
        json_build_object('memberId', p.member_id, 'client', coalesce(w.client, c.client)),
        priority => coalesce(
          w.priority,
          least(
            greatest(
              0,
              (
                select
                  min(priority)
                from
                  graphile_worker._private_jobs
                where
                  is_available
                  and priority between 0 and 0 + 9999
                  and task_id = (
                    select
                      id
                    from
                      graphile_worker._private_tasks
                    where
                      identifier = 'mail-notifications'
                  )
              ),
              (
                select
                  max(priority) + 1
                from
                  graphile_worker._private_jobs
                where
                  payload ->> 'client' = c.client
                  and (
                    is_available
                    or locked_at is not null
                  )
                  and priority between 0 and 0 + 9999
                  and task_id = (
                    select
                      id
                    from
                      graphile_worker._private_tasks
                    where
                      identifier = 'mail-notifications'
                  )
              )
            ) + row_number() over () - 1,
            9999
          )
        )::int,
        queue_name => 'notifications-' || p.member_id % 2,
        job_key => 'mail-notifications:' || p.member_id,
        job_key_mode => 'preserve_run_at'
      )
    from
      present p
      cross join lateral (
        select
          'm' || coalesce(p.actor_id, p.member_id) as client
      ) c
      left join lateral (
        select
          payload ->> 'client' as client,
          priority
        from
          graphile_worker._private_jobs
        where
          key = 'mail-notifications:' || p.member_id
          and is_available
      ) w on true
    where
      p.email = 'AT_ONCE'
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
