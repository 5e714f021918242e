-- notify_of_mentions
-- (bigint) returns ()
with
  due as (
    update article_mentions x
    set
      is_notified = true
    from
      articles a
    where
      a.id = $1
      and x.article_id = a.id
      and not x.is_notified
      and x.names <> '{}'
    returning
      x.member_id,
      a.id as article_id,
      a.member_id as author_id
  ),
  recipients as (
    select
      r.*,
      d.article_id::bigint as article_id,
      null::bigint as draft_id,
      null::bigint as comment_id,
      d.author_id::bigint as actor_id,
      null as outcome,
      s.email
    from
      due d
      cross join lateral (
        values
          (d.member_id, 'MENTION')
      ) r (member_id, type)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = r.type
    where
      coalesce(s.enabled, true)
      and r.member_id <> d.author_id
      and not (
        d.author_id > 0
        and (
          select
            true
          from
            blocks b
          where
            least(b.member_id, b.blocked_id) = least(d.author_id, r.member_id)
            and greatest(b.member_id, b.blocked_id) = greatest(d.author_id, r.member_id)
          limit
            1
        ) is not null
      )
      and (
        select
          count(*)
        from
          (
            select
            from
              notifications f
            where
              f.type = 'MENTION'
              and f.member_id = r.member_id
              and f.actor_id = d.author_id
              and f.created_at between now() - interval '1 day' and now()
            limit
              20
          ) f
      ) < 20
  ),
  present as (
    select
      w.*
    from
      recipients w
      join members m on m.id = w.member_id
    order by
      m.id
    for key share of
      m
  ),
  notified as (
    insert into
      notifications (member_id, type, article_id, draft_id, comment_id, actor_id, outcome)
    select
      member_id,
      type,
      article_id,
      draft_id,
      comment_id,
      actor_id,
      outcome
    from
      present
    order by
      member_id
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
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;

-- notify_of_publication
-- (bigint, bigint, bigint) returns ()
with
  recipients as (
    select
      r.*,
      $2::bigint as article_id,
      $3::bigint as draft_id,
      null::bigint as comment_id,
      null::bigint as actor_id,
      null as outcome,
      s.email
    from
      (
        select
      ) x
      cross join lateral (
        values
          ($1::bigint, 'PUBLICATION')
      ) r (member_id, type)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = r.type
    where
      coalesce(s.enabled, true)
      and true
  ),
  present as (
    select
      w.*
    from
      recipients w
      join members m on m.id = w.member_id
    order by
      m.id
    for key share of
      m
  ),
  notified as (
    insert into
      notifications (member_id, type, article_id, draft_id, comment_id, actor_id, outcome)
    select
      member_id,
      type,
      article_id,
      draft_id,
      comment_id,
      actor_id,
      outcome
    from
      present
    order by
      member_id
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
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;

-- notify_of_summary
-- (bigint, text) returns ()
with
  recipients as (
    select
      r.*,
      a.id::bigint as article_id,
      null::bigint as draft_id,
      null::bigint as comment_id,
      null::bigint as actor_id,
      $2 as outcome,
      s.email
    from
      all_articles a
      cross join lateral (
        values
          (a.member_id, 'SUMMARY')
      ) r (member_id, type)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = r.type
    where
      coalesce(s.enabled, true)
      and a.id = $1
  ),
  present as (
    select
      w.*
    from
      recipients w
      join members m on m.id = w.member_id
    order by
      m.id
    for key share of
      m
  ),
  notified as (
    insert into
      notifications (member_id, type, article_id, draft_id, comment_id, actor_id, outcome)
    select
      member_id,
      type,
      article_id,
      draft_id,
      comment_id,
      actor_id,
      outcome
    from
      present
    order by
      member_id
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
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;
