-- take_digests
-- (bigint, bigint) returns (bigint, bigint, bigint)
with
  candidates as (
    select distinct
      member_id
    from
      notification_settings
    where
      email = 'DAILY'
      and member_id > $1
    order by
      member_id
    limit
      $2
  ),
  due as (
    select
      member_id,
      daily_mailed_id as after
    from
      notification_counts
    where
      member_id in (
        select
          member_id
        from
          candidates
      )
      and digest_on is distinct from (now() at time zone 'UTC')::date
    order by
      member_id
    for no key update
  ),
  newest as (
    select
      d.member_id,
      max(n.id) as id
    from
      due d
      join notifications n on n.member_id = d.member_id
    where
      n.read_at is null
      and n.id > d.after
      and n.type in (
        select
          type
        from
          notification_settings s
        where
          s.member_id = d.member_id
          and s.email = 'DAILY'
      )
    group by
      d.member_id
  ),
  taken as (
    update notification_counts c
    set
      daily_mailed_id = n.id,
      digest_on = (now() at time zone 'UTC')::date
    from
      due d
      join newest n using (member_id)
    where
      c.member_id = d.member_id
    returning
      c.member_id,
      d.after,
      n.id as up_to
  )
select
  member_id as "memberId",
  after,
  up_to as "upTo"
from
  candidates
  left join taken using (member_id)
order by
  1;

-- take_unmailed
-- (bigint) returns (bigint, bigint, boolean)
with
  due as (
    select
      at_once_mailed_id as after
    from
      notification_counts
    where
      member_id = $1
    for no key update
  ),
  newest as (
    select
      max(n.id) as id,
      bool_and(n.type = 'ARTICLE') as is_fanned_out
    from
      notifications n,
      due
    where
      n.member_id = $1
      and n.read_at is null
      and n.id > due.after
      and n.type in (
        select
          type
        from
          notification_settings
        where
          member_id = $1
          and email = 'AT_ONCE'
      )
  )
update notification_counts
set
  at_once_mailed_id = newest.id
from
  due,
  newest
where
  member_id = $1
  and newest.id is not null
returning
  due.after,
  newest.id as "upTo",
  newest.is_fanned_out as "isFannedOut";

-- unread_in_range
-- (bigint, text, bigint, bigint, bigint) returns (bigint, character varying, bigint, bigint, character varying, bigint, bigint, character varying, character varying, integer, json, bigint, boolean, timestamp with time zone, character varying, bigint)
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
  n.created_at as "createdAt",
  s.slug,
  count(*) over () as total
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
      and can_read (a.is_private, a.member_id, reader_of ($1))
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
      and d.member_id = (reader_of ($1)).draft_reader_id
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
      and can_read (a.is_private, a.member_id, reader_of ($1))
    where
      d.id = n.decision_id
  ) s on true
  left join members m on m.id = s.actor_id
where
  n.member_id = $1
  and n.id > $3
  and n.id <= $4
  and n.read_at is null
  and n.type in (
    select
      type
    from
      notification_settings
    where
      member_id = $1
      and email = $2
  )
  and exists (
    select
    from
      members
    where
      id = $1
      and locked_at is null
      and email_verified_at is not null
  )
order by
  n.id desc
limit
  $5;
