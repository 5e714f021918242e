-- announce_article
-- (bigint) returns (graphile_worker._private_jobs)
with
  counted as (
    update member_counts c
    set
      announced_on = greatest(c.announced_on, d.today),
      announced = case
        when c.announced_on >= d.today then c.announced + 1
        else 1
      end
    from
      articles a
      cross join (
        select
          (now() at time zone 'UTC')::date as today
      ) d
    where
      a.id = $1
      and c.member_id = a.member_id
      and c.followers > 0
      and (
        c.announced_on is null
        or c.announced_on < d.today
        or c.announced < 5
      )
    returning
      a.id
  ),
  added as (
    insert into
      announcements (article_id)
    select
      id
    from
      counted
    returning
      article_id
  )
select
  graphile_worker.add_job (
    'announce-article',
    json_build_object('articleId', article_id),
    queue_name => 'announcements-0',
    job_key => 'announce-article:' || article_id
  )
from
  added;

-- end_announcement
-- (bigint) returns ()
delete from announcements
where
  article_id = $1;

-- notify_followers
-- (bigint, bigint) returns (bigint)
with
  article as materialized (
    select
      a.id,
      a.member_id
    from
      articles a
    where
      a.id = $1
    for share
  ),
  position as materialized (
    select
      n.follower_id
    from
      announcements n
    where
      n.article_id = (
        select
          id
        from
          article
      )
    for update
  ),
  batch as materialized (
    select
      f.follower_id
    from
      article a
      cross join position p
      cross join lateral (
        select
          f.follower_id
        from
          follows f
        where
          f.member_id = a.member_id
          and f.follower_id > p.follower_id
        order by
          f.follower_id
        limit
          $2
      ) f
  ),
  recipients as (
    select
      b.follower_id as member_id,
      'ARTICLE' as type,
      $1::bigint as article_id,
      null::bigint as draft_id,
      null::bigint as comment_id,
      null::bigint as actor_id,
      null as outcome,
      s.email
    from
      batch b
      left join notification_settings s on s.member_id = b.follower_id
      and s.type = 'ARTICLE'
    where
      coalesce(s.enabled, true)
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
  turn as materialized (
    select
      client,
      greatest(
        10000,
        (
          select
            min(priority)
          from
            graphile_worker._private_jobs
          where
            is_available
            and priority between 10000 and 10000 + 9999
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
            payload ->> 'client' = client
            and (
              is_available
              or locked_at is not null
            )
            and priority between 10000 and 10000 + 9999
            and task_id = (
              select
                id
              from
                graphile_worker._private_tasks
              where
                identifier = 'mail-notifications'
            )
        )
      ) as priority
    from
      (
        select
          'm' || member_id as client
        from
          article
      ) a
  ),
  mailing as (
    select
    from
      (
        select
          array_agg(
            (
              'mail-notifications',
              json_build_object('memberId', member_id, 'client', client),
              'notifications-' || member_id % 2,
              null,
              null,
              'mail-notifications:' || member_id || ':followed',
              least(priority + number, 19999),
              null
            )::graphile_worker.job_spec
          ) as jobs
        from
          turn
          cross join (
            select
              member_id,
              row_number() over (
                order by
                  member_id
              ) - 1 as number
            from
              present
            where
              email = 'AT_ONCE'
          ) p
        having
          count(*) > 0
      ) m
      cross join lateral graphile_worker.add_jobs (m.jobs, true)
  ),
  continued as (
    update announcements
    set
      follower_id = (
        select
          max(follower_id)
        from
          batch
      )
    where
      article_id = $1
      and exists (
        select
        from
          batch
      )
  )
select
  count(*) as followers
from
  batch
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;

-- was_public
-- (bigint) returns ()
select
from
  article_slugs
where
  article_id = $1
limit
  1;
