-- like_article
-- (bigint, bigint, reader) returns (bigint, integer, boolean)
with
  article as (
    select
      a.id,
      a.member_id
    from
      all_articles a
    where
      a.id = $1
      and can_read (a.is_private, a.member_id, $3::reader)
      and require_not_suspended ($2)
  ),
  block as materialized (
    select
      b.member_id,
      b.blocked_id
    from
      article
      cross join lateral blocks_between ($2, array[article.member_id]) b
  ),
  recipients as (
    select
      a.id,
      a.member_id,
      s.email,
      a.member_id <> $2
      and coalesce(s.enabled, false)
      and not exists (
        select
        from
          block
      ) as is_notified
    from
      article a
      left join notification_settings s on s.member_id = a.member_id
      and s.type = 'LIKE'
    where
      not exists (
        select
        from
          block
        where
          blocked_id = $2
      )
  ),
  added as materialized (
    select
      r.id,
      r.member_id,
      r.email,
      x.total,
      x.notified
    from
      recipients r
      cross join lateral add_reaction (r.id, $2, 'LIKE', r.is_notified) x
  ),
  present as (
    select
      member_id,
      email,
      $2::bigint as actor_id
    from
      added
    where
      notified
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
  a.id as "articleId",
  x.total,
  exists (
    select
    from
      block
    where
      blocked_id = $2
  ) as "isBlocked"
from
  article a
  left join added x on true
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0
  and (
    x.id is null
    or x.total is not null
  );

-- unlike_article
-- (bigint, bigint, reader) returns (bigint, integer)
select
  a.id as "articleId",
  remove_reaction (a.id, $2, 'LIKE') as total
from
  all_articles a
where
  a.id = $1
  and can_read (a.is_private, a.member_id, $3::reader);
