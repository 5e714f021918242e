-- all of a member
-- (bigint, reader, integer, bigint) returns (bigint, text)
select
  (
    c.total - (
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
                and x.member_id = $1::bigint
                and x.id <= e.notification_id
                and true
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
            x.member_id = $1::bigint
            and x.article_id is not null
            and true
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
                and x.member_id = $1::bigint
                and true
              offset
                0
            ) x
        ) x
    )
  ) as total,
  (
    select
      json_agg(
        json_build_array(
          n.id,
          n.type,
          n.article_id,
          n.draft_id,
          s.title,
          n.comment_id,
          m.id,
          case
            when n.type in ('COMMENT', 'REPLY', 'FOLLOW', 'ARTICLE', 'MENTION') then coalesce(m.nickname, '(withdrawn)')
          end,
          n.outcome,
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
          end,
          s.decision,
          (s.decision ->> 'id')::bigint,
          n.read_at is not null,
          n.created_at at time zone 'UTC',
          (n.id)::text
        )
        order by
          n.id desc,
          n.id desc
      )
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
      n.id = any (
        array(
          select
            n.id
          from
            notifications n
          where
            n.member_id = any (array[$1::bigint])
            and n.id <> all (
              array(
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
                      and x.member_id = $1::bigint
                      and x.id <= e.notification_id
                      and x.type in ('ARTICLE', 'FOLLOW')
                      and true
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
                  x.member_id = $1::bigint
                  and x.article_id is not null
                  and x.type in ('ARTICLE', 'FOLLOW')
                  and true
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
                      and x.member_id = $1::bigint
                      and x.type in ('ARTICLE', 'FOLLOW')
                      and true
                    offset
                      0
                  ) x
              )
            )
            and not coalesce(n.article_id, 0) in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
          order by
            n.member_id desc,
            n.id desc,
            n.id desc
          limit
            case
              when $4::bigint < (
                c.total - (
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
                            and x.member_id = $1::bigint
                            and x.id <= e.notification_id
                            and true
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
                        x.member_id = $1::bigint
                        and x.article_id is not null
                        and true
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
                            and x.member_id = $1::bigint
                            and true
                          offset
                            0
                        ) x
                    ) x
                )
              ) then $3::integer
              else 0
            end
          offset
            $4::bigint
        )
      )
  )::text as contents
from
  notification_counts c
where
  c.member_id = $1::bigint;

-- newest_notification
-- (bigint) returns (bigint)
select
  coalesce(max(id), 0) as newest
from
  notifications
where
  member_id = $1;

-- notifications_after
-- (bigint[], bigint[], reader[], bigint) returns (bigint, bigint, character varying, bigint, bigint, character varying, bigint, bigint, character varying, character varying, integer, json, bigint, boolean, timestamp with time zone)
select
  w.key,
  r.*
from
  (
    select
      k.key,
      k.member_id,
      k.after_id,
      row (k.viewer_id, k.article_reader_id, k.draft_reader_id, k.moderator_id)::reader as reader
    from
      unnest($1::bigint[], $2::bigint[], $3::reader[]) with ordinality as k (member_id, after_id, viewer_id, article_reader_id, draft_reader_id, moderator_id, key)
  ) w
  cross join lateral (
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
          and can_read (a.is_private, a.member_id, w.reader)
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
          and d.member_id = (w.reader).draft_reader_id
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
          and can_read (a.is_private, a.member_id, w.reader)
        where
          d.id = n.decision_id
      ) s on true
      left join members m on m.id = s.actor_id
    where
      n.member_id = w.member_id
      and n.id > w.after_id
    order by
      n.id
    limit
      $4
  ) r
order by
  w.key,
  r.id;

-- unread ones without private articles and drafts
-- (bigint, reader, bigint, bigint, integer) returns (bigint, text)
select
  (
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
                and x.member_id = $1::bigint
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
            x.member_id = $1::bigint
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
                and x.member_id = $1::bigint
                and x.read_at is null
              offset
                0
            ) x
        ) x
    ) - (
      select
        count(*)
      from
        all_articles p
        join notifications n on n.article_id = p.id
      where
        p.member_id = c.member_id
        and p.is_private
        and n.member_id = $1::bigint
        and n.read_at is null
    ) - (
      select
        count(*)
      from
        drafts d
        join notifications n on n.draft_id = d.id
      where
        d.member_id = c.member_id
        and n.member_id = $1::bigint
        and n.read_at is null
    )
  ) as total,
  (
    select
      json_agg(
        json_build_array(
          n.id,
          n.type,
          n.article_id,
          n.draft_id,
          s.title,
          n.comment_id,
          m.id,
          case
            when n.type in ('COMMENT', 'REPLY', 'FOLLOW', 'ARTICLE', 'MENTION') then coalesce(m.nickname, '(withdrawn)')
          end,
          n.outcome,
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
          end,
          s.decision,
          (s.decision ->> 'id')::bigint,
          n.read_at is not null,
          n.created_at at time zone 'UTC',
          (n.id)::text
        )
        order by
          n.id desc,
          n.id desc
      )
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
      n.id = any (
        array(
          select
            n.id
          from
            notifications n
          where
            n.member_id = any (array[$1::bigint])
            and n.read_at is null
            and n.id <> all (
              array(
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
                      and x.member_id = $1::bigint
                      and x.id <= e.notification_id
                      and x.type in ('ARTICLE', 'FOLLOW')
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
                  x.member_id = $1::bigint
                  and x.article_id is not null
                  and x.type in ('ARTICLE', 'FOLLOW')
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
                      and x.member_id = $1::bigint
                      and x.type in ('ARTICLE', 'FOLLOW')
                      and x.read_at is null
                    offset
                      0
                  ) x
              )
            )
            and not coalesce(n.article_id, 0) in (
              select
                e.article_id
              from
                ended_articles e
              where
                e.is_deleted
            )
            and not exists (
              select
              from
                all_articles p
              where
                p.id = n.article_id
                and p.is_private
            )
            and n.draft_id is null
            and (n.id, n.id) < ($3::bigint, $4::bigint)
          order by
            n.member_id desc,
            n.id desc,
            n.id desc
          limit
            $5::integer
        )
      )
  )::text as contents
from
  notification_counts c
where
  c.member_id = $1::bigint;

-- unread_by_reader
-- (bigint[], reader) returns (bigint, bigint)
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
  ) - case
    when ($2::reader).article_reader_id = c.member_id then 0
    else (
      select
        count(*)
      from
        all_articles p
        join notifications n on n.article_id = p.id
      where
        p.member_id = c.member_id
        and p.is_private
        and n.member_id = c.member_id
        and n.read_at is null
    )
  end - case
    when ($2::reader).draft_reader_id = c.member_id then 0
    else (
      select
        count(*)
      from
        drafts d
        join notifications n on n.draft_id = d.id
      where
        d.member_id = c.member_id
        and n.member_id = c.member_id
        and n.read_at is null
    )
  end as unread
from
  notification_counts c
where
  c.member_id = any ($1::bigint[]);
