-- create_comment
-- (bigint, bigint, bigint, text, timestamp with time zone, reader, text[]) returns (boolean, boolean, boolean, bigint, bigint, character varying, bigint, character varying, bigint, boolean, boolean, boolean, integer, bigint, timestamp with time zone, timestamp with time zone)
with
  author as materialized (
    select
      m.id
    from
      members m
    where
      m.id = (
        select
          member_id
        from
          all_articles
        where
          id = $1
      )
    for key share
  ),
  article as materialized (
    select
      id,
      member_id,
      is_private,
      removed_at
    from
      all_articles
    where
      id = $1
      and (
        select
          count(*)
        from
          author
      ) >= 0
    for key share
  ),
  target as (
    select
      a.id,
      a.is_private,
      a.member_id as article_author_id,
      p.member_id as parent_author_id,
      p.id is not null as parent_exists,
      p.parent_id is not null as is_parent_reply
    from
      article a
      left join comments p on p.id = $2
      and p.article_id = a.id
      and p.deleted_at is null
      and p.removed_at is null
    where
      can_read (a.is_private, a.member_id, $6::reader)
      and require_not_suspended ($3)
  ),
  mentioned as (
    select
      f.member_id,
      f.names
    from
      (
        select
          m.id as member_id,
          array_agg(n.name) as names
        from
          unnest($7::text[]) with ordinality n (name, position)
          join members m on lower(m.nickname) = lower(n.name)
        where
          m.id <> $3
          and not (
            pending_since is not null
            and email_verified_at is null
          )
        group by
          m.id
        order by
          min(n.position)
        limit
          10
      ) f
      join members m on m.id = f.member_id
    order by
      m.id
    for key share of
      m
  ),
  block as materialized (
    select
      b.member_id,
      b.blocked_id
    from
      target
      cross join lateral blocks_between (
        $3,
        array[target.article_author_id, target.parent_author_id] || array(
          select
            member_id
          from
            mentioned
        )
      ) b
  ),
  created as (
    insert into
      comments (article_id, parent_id, member_id, content, created_at, updated_at)
    select
      id,
      $2,
      $3::bigint,
      $4::text,
      coalesce($5, now()),
      coalesce($5, now())
    from
      target
    where
      (
        $2 is null
        or (
          parent_exists
          and not is_parent_reply
        )
      )
      and not exists (
        select
        from
          block
        where
          blocked_id = $3
      )
    returning
      *
  ),
  stored as (
    insert into
      comment_mentions (comment_id, member_id)
    select
      c.id,
      m.member_id
    from
      created c
      cross join mentioned m
  ),
  recipients as (
    select distinct
      on (r.member_id) r.member_id,
      r.type,
      c.article_id,
      null::bigint as draft_id,
      c.id as comment_id,
      c.member_id as actor_id,
      null as outcome,
      s.email
    from
      created c
      cross join target
      cross join lateral (
        values
          (target.parent_author_id, 'REPLY', 1),
          (target.article_author_id, 'COMMENT', 2)
        union all
        select
          member_id,
          'MENTION',
          3
        from
          mentioned
      ) r (member_id, type, rank)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = r.type
    where
      r.member_id <> c.member_id
      and coalesce(s.enabled, true)
      and not target.is_private
      and not c.is_hidden
      and not exists (
        select
        from
          block
        where
          r.member_id in (block.member_id, block.blocked_id)
      )
      and (
        r.type <> 'MENTION'
        or (
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
                and f.actor_id = c.member_id
                and f.created_at between now() - interval '1 day' and now()
              limit
                20
            ) f
        ) < 20
      )
    order by
      r.member_id,
      r.rank
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
  exists (
    select
    from
      block
    where
      blocked_id = $3
  ) as "isBlocked",
  a.parent_exists as "parentExists",
  a.is_parent_reply as "isParentReply",
  coalesce(
    (
      select
        version
      from
        spam_model
    ),
    0
  ) as "spamVersion",
  c.id as "id",
  comment_content (
    content => c.content,
    is_deleted => c.deleted_at is not null,
    is_place_of_held => c.deleted_at is not null
    and exists (
      select
      from
        held_comments h
      where
        h.id = c.id
    ),
    is_removed => c.removed_at is not null,
    sees_removed => (
      coalesce((v.r).viewer_id = c.member_id, false)
      or coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = (v.r).moderator_id
        ),
        false
      )
    ),
    is_hidden => c.is_hidden,
    sees_hidden => (((v.r).viewer_id in (c.member_id, c.received_by)) is true),
    is_blocked => (
      (
        (v.r).viewer_id > 0
        and (
          select
            true
          from
            blocks b
          where
            least(b.member_id, b.blocked_id) = least((v.r).viewer_id, c.member_id)
            and greatest(b.member_id, b.blocked_id) = greatest((v.r).viewer_id, c.member_id)
          limit
            1
        ) is not null
      )
      and not coalesce(
        (
          select
            o.role <> 'MEMBER'
            and coalesce(o.suspended_until <= now(), true)
          from
            members o
          where
            o.id = (v.r).viewer_id
        ),
        false
      )
    )
  ) as "content",
  case
    when c.member_id in (
      select
        w.id
      from
        withdrawn_members w
    ) then 0
    else coalesce(c.member_id, 0)
  end as "memberId",
  case
    when c.deleted_at is not null then case
      when c.deleted_at is not null
      and exists (
        select
        from
          held_comments h
        where
          h.id = c.id
      ) then '(held)'
      else '(deleted)'
    end
    else coalesce(
      (
        select
          m.nickname
        from
          members m
        where
          m.id = c.member_id
      ),
      '(withdrawn)'
    )
  end as "authorName",
  a.id as "articleId",
  c.is_hidden
  and c.deleted_at is null as "hidden",
  c.deleted_at is not null
  and exists (
    select
    from
      held_comments h
    where
      h.id = c.id
  ) as "held",
  c.removed_at is not null
  and c.deleted_at is null as "removed",
  c.revision as "revision",
  c.parent_id as "parentId",
  c.created_at as "createdAt",
  c.updated_at as "updatedAt"
from
  target a
  cross join (
    select
      reader_of ($3) as r
  ) v
  left join created c on true
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;

-- edit_mentions
-- (bigint, text[], boolean) returns (boolean)
with
  target as (
    select
      c.id,
      c.article_id,
      c.member_id,
      c.is_hidden,
      a.is_private,
      a.member_id as article_author_id,
      p.member_id as parent_author_id
    from
      all_comments c
      join all_articles a on a.id = c.article_id
      left join comments p on p.id = c.parent_id
    where
      c.id = $1
      and c.deleted_at is null
  ),
  mentioned as (
    select
      f.member_id,
      f.names
    from
      (
        select
          m.id as member_id,
          array_agg(n.name) as names
        from
          unnest($2::text[]) with ordinality n (name, position)
          join members m on lower(m.nickname) = lower(n.name)
        where
          m.id <> (
            select
              member_id
            from
              target
          )
          and not (
            pending_since is not null
            and email_verified_at is null
          )
        group by
          m.id
        order by
          min(n.position)
        limit
          10
      ) f
      join members m on m.id = f.member_id
    order by
      m.id
    for key share of
      m
  ),
  fresh as (
    select
      member_id
    from
      mentioned m
    where
      not exists (
        select
        from
          comment_mentions x
        where
          x.comment_id = $1
          and x.member_id = m.member_id
      )
  ),
  block as materialized (
    select
      b.member_id,
      b.blocked_id
    from
      target
      cross join lateral blocks_between (
        target.member_id,
        array[target.article_author_id, target.parent_author_id] || array(
          select
            member_id
          from
            fresh
        )
      ) b
  ),
  created as (
    select
      target.*
    from
      target
    where
      $3
      and not target.is_hidden
      and not exists (
        select
        from
          block
        where
          blocked_id = target.member_id
      )
  ),
  stored as (
    insert into
      comment_mentions (comment_id, member_id)
    select
      c.id,
      f.member_id
    from
      created c
      cross join fresh f
  ),
  recipients as (
    select
      r.member_id,
      r.type,
      c.article_id,
      null::bigint as draft_id,
      c.id as comment_id,
      c.member_id as actor_id,
      null as outcome,
      s.email
    from
      created c
      cross join lateral (
        select
          member_id,
          'MENTION'
        from
          fresh
      ) r (member_id, type)
      left join notification_settings s on s.member_id = r.member_id
      and s.type = r.type
    where
      coalesce(s.enabled, true)
      and not c.is_private
      and not exists (
        select
        from
          block
        where
          blocked_id = r.member_id
      )
      and not exists (
        select
        from
          notifications n
        where
          n.comment_id = c.id
          and n.member_id = r.member_id
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
              and f.actor_id = c.member_id
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
  exists (
    select
    from
      block
    where
      blocked_id = target.member_id
  ) as "isBlocked"
from
  target
where
  (
    select
      count(*)
    from
      mailing
  ) >= 0;
