-- add_decision
-- (text, bigint, bigint, bigint, bigint, bigint, timestamp with time zone, text, text, text, bigint, bigint) returns (bigint, text, bigint, bigint, bigint, bigint, timestamp with time zone, text, text, text, bigint, timestamp with time zone)
with
  d as (
    insert into
      decisions (action, member_id, moderator_id, article_id, comment_id, appeal_of, until, rule, statement, note)
    values
      ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8, $9, $10)
    returning
      *
  ),
  recipients as (
    select
      r.member_id,
      s.email
    from
      (
        select
          d.member_id
        from
          d
        where
          d.member_id is not null
          and d.action not in ('DISMISS', 'APPROVE')
        union
        select
          reporter_id
        from
          (
            select
              reporter_id
            from
              reports
            where
              case_id = $11
              and id > $12
            order by
              id
            limit
              1000
          ) f
      ) r (member_id)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = 'MODERATION'
  ),
  present as (
    select
      w.*,
      $3::bigint as actor_id
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
      notifications (member_id, type, decision_id)
    select
      p.member_id,
      'MODERATION',
      d.id
    from
      present p
      cross join d
    order by
      p.member_id
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
  d.id as "id",
  d.action as "action",
  d.member_id as "memberId",
  d.article_id as "articleId",
  d.comment_id as "commentId",
  d.appeal_of as "appealOf",
  d.until as "until",
  d.rule as "rule",
  d.statement as "statement",
  d.note as "note",
  d.moderator_id as "moderatorId",
  d.created_at as "createdAt"
from
  d
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;
