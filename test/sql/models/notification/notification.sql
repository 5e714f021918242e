-- changed_notification_settings
-- (bigint) returns (character varying, boolean, text)
select
  type,
  enabled,
  email
from
  notification_settings
where
  member_id = $1;

-- delete_oldest_notifications
-- (double precision, bigint) returns (bigint)
with
  oldest as (
    select
      id,
      created_at
    from
      notifications
    order by
      id
    limit
      $2
  ),
  deleted as (
    delete from notifications
    where
      id = any (
        array(
          select
            id
          from
            oldest
          where
            created_at < now() - $1 * interval '1 millisecond'
        )
      )
    returning
      id
  )
select
  count(*) as deleted
from
  deleted;

-- mark_notifications_read
-- (bigint, bigint, integer) returns (bigint, bigint)
with
  marked as (
    update notifications
    set
      read_at = now()
    where
      id in (
        select
          id
        from
          notifications
        where
          require_not_suspended ($1)
          and member_id = $1
          and read_at is null
          and (
            $2::bigint is null
            or id < $2::bigint
          )
        order by
          id desc
        limit
          $3::integer
        for no key update
      )
    returning
      id
  )
select
  count(*) as marked,
  min(id) as oldest
from
  marked;

-- notifications_by_id
-- (bigint[], reader) returns (bigint, character varying, bigint, bigint, character varying, bigint, bigint, character varying, character varying, integer, json, bigint, boolean, timestamp with time zone)
select
  n.id as "id",
  n.type as "type",
  n.article_id as "articleId",
  n.draft_id as "draftId",
  s.title as "title",
  n.comment_id as "commentId",
  m.id as "actorId",
  case
    when n.type in ('COMMENT', 'REPLY', 'FOLLOW', 'ARTICLE', 'MENTION') then coalesce(m.nickname, '(withdrawn)')
  end as "actorName",
  n.outcome as "outcome",
  case
    when n.type = 'LIKE' then (
      select
        coalesce(r.likes, 0) - case
          when exists (
            select
            from
              withdrawn_members
          ) then reactions_of_withdrawn (r.article_id, 'LIKE')
          else 0
        end - (
          select
            count(*)::integer
          from
            reactions l
          where
            l.article_id = r.article_id
            and l.kind = 'LIKE'
            and l.member_id = n.member_id
        )
      from
        article_counts r
      where
        r.article_id = n.article_id
    )
  end as "likes",
  s.decision as "decision",
  (s.decision ->> 'id')::bigint as "decisionId",
  n.read_at is not null as "read",
  n.created_at as "createdAt"
from
  notifications n
  join lateral (
    select
      a.title,
      a.slug,
      case
        when n.type = 'ARTICLE' then a.member_id
        else n.actor_id
      end as actor_id,
      null::json as decision
    from
      all_articles a
    where
      a.id = n.article_id
      and can_read (a.is_private, a.member_id, $2::reader)
      and not (
        n.type = 'ARTICLE'
        and exists (
          select
          from
            ended_articles e
          where
            e.article_id = n.article_id
            and n.id <= e.notification_id
        )
      )
    union all
    select
      d.title,
      null,
      n.actor_id,
      null
    from
      drafts d
    where
      d.id = n.draft_id
      and d.member_id = ($2::reader).draft_reader_id
    union all
    select
      '',
      null,
      n.actor_id,
      null
    where
      n.type = 'FOLLOW'
      and not n.actor_id in (
        select
          w.id
        from
          withdrawn_members w
      )
    union all
    select
      coalesce(a.title, ''),
      null,
      null,
      json_build_object(
        'id',
        case
          when d.member_id = n.member_id then d.id
        end,
        'action',
        d.action,
        'target',
        case
          when d.comment_id is not null then 'COMMENT'
          when d.article_id is not null then 'ARTICLE'
        end
      )
    from
      decisions d
      left join comments c on c.id = d.comment_id
      left join all_articles a on a.id = coalesce(d.article_id, c.article_id)
      and can_read (a.is_private, a.member_id, $2::reader)
    where
      d.id = n.decision_id
  ) s on true
  left join members m on m.id = s.actor_id
where
  n.id = any ($1::bigint[]);

-- set_notification
-- (bigint, text, boolean, text, boolean) returns (character varying, boolean, text)
with
  saved as (
    insert into
      notification_settings as s (member_id, type, enabled, email)
    select
      $1,
      $2::text,
      coalesce($3::boolean, ($2::text <> all (array['LIKE'])) <> $5::boolean),
      coalesce($4::text, 'OFF')
    where
      require_not_suspended ($1)
      and (
        coalesce($4::text, 'OFF') = 'OFF'
        or exists (
          select
          from
            members
          where
            id = $1
            and email_verified_at is not null
        )
      )
    on conflict (member_id, type) do update
    set
      enabled = coalesce($3::boolean, s.enabled <> $5::boolean),
      email = coalesce($4::text, s.email)
    returning
      type,
      enabled,
      email
  ),
  newest as (
    select
      coalesce(max(id), 0) as id
    from
      notifications
    where
      member_id = $1
  ),
  started as (
    update notification_counts
    set
      at_once_mailed_id = case saved.email
        when 'AT_ONCE' then newest.id
        else at_once_mailed_id
      end,
      daily_mailed_id = case saved.email
        when 'DAILY' then newest.id
        else daily_mailed_id
      end
    from
      saved,
      newest
    where
      member_id = $1
      and saved.email <> 'OFF'
      and not exists (
        select
        from
          notification_settings o
        where
          o.member_id = $1
          and o.email = saved.email
      )
  )
select
  type,
  enabled,
  email
from
  saved;

-- unread_by_member
-- (bigint[]) returns (bigint, bigint)
select
  c.member_id as id,
  c.unread - (
    select
      count(*)
    from
      (
        select
          x.id
        from
          ended_articles e
          cross join lateral (
            select
              x.id
            from
              notifications x
            where
              (
                e.is_deleted
                or x.type = 'ARTICLE'
              )
              and x.article_id = e.article_id
              and x.member_id = c.member_id
              and x.id <= e.notification_id
              and x.read_at is null
            offset
              0
          ) x
        where
          e.notification_id is not null
          and not (
            select
              count(*) > 100
            from
              (
                select
                from
                  ended_articles e
                where
                  e.notification_id is not null
                limit
                  101
              ) e
          )
        union all
        select
          x.id
        from
          notifications x
        where
          x.member_id = c.member_id
          and x.article_id is not null
          and x.read_at is null
          and (
            select
              count(*) > 100
            from
              (
                select
                from
                  ended_articles e
                where
                  e.notification_id is not null
                limit
                  101
              ) e
          )
          and (
            select
              count(*)
            from
              ended_articles e
            where
              e.article_id = x.article_id
              and (
                e.is_deleted
                or x.type = 'ARTICLE'
              )
              and x.id <= e.notification_id
          ) > 0
        union all
        select
          x.id
        from
          withdrawn_members w
          cross join lateral (
            select
              x.id
            from
              notifications x
            where
              x.type = 'FOLLOW'
              and x.actor_id = w.id
              and x.member_id = c.member_id
              and x.read_at is null
            offset
              0
          ) x
      ) x
  ) as unread
from
  notification_counts c
where
  c.member_id = any ($1::bigint[]);

-- unsubscribe
-- (bigint) returns ()
update notification_settings
set
  email = 'OFF'
where
  member_id = $1
  and email <> 'OFF';
