-- count_moderation_queue
-- (bigint) returns (bigint)
select
  count(*) as total
from
  (
    (
      select
      from
        moderation_cases k
      where
        k.opened_at is not null
        and coalesce(
          k.member_id,
          (
            select
              a.member_id
            from
              all_articles a
            where
              a.id = k.article_id
          ),
          (
            select
              c.member_id
            from
              all_comments c
            where
              c.id = k.comment_id
              and c.deleted_at is null
          )
        ) is distinct from $1::bigint
      limit
        10000
    )
    union all
    (
      select
      from
        held_comments h
      where
        h.member_id <> $1
        and not (
          select
            a.is_private
          from
            all_articles a
          where
            a.id = h.article_id
        )
      limit
        10000
    )
    union all
    (
      select
      from
        appeals p
      where
        p.answer_id is null
        and (
          select
            d.member_id
          from
            decisions d
          where
            d.id = p.decision_id
        ) is distinct from $1::bigint
      limit
        10000
    )
    limit
      10000
  ) entries;

-- moderation_queue
-- (bigint, bigint, bigint) returns (text, timestamp with time zone, real, json, text, bigint, character varying, json[], integer, text)
select
  q.kind,
  q.created_at as "createdAt",
  c.spam_score as "spamScore",
  json_build_object(
    'articleId',
    k.article_id,
    'commentId',
    case
      when p.decision_id is null then c.id
    end,
    'memberId',
    k.member_id,
    'appealId',
    p.decision_id
  ) as target,
  case
    when not coalesce(a.is_private, false) then coalesce(p.text, left(coalesce(c.content, a.title || E'\n' || coalesce(a.excerpt, left(a.content, 300)), m.bio), 300))
  end as excerpt,
  case
    when not coalesce(a.is_private, false) then m.id
  end as "memberId",
  case
    when not coalesce(a.is_private, false) then coalesce(m.nickname, '(withdrawn)')
  end as "authorName",
  array(
    select
      json_build_object('reason', r.reason, 'text', r.text, 'createdAt', r.created_at)
    from
      reports r
    where
      r.case_id = k.id
      and r.id > k.decided_id
    order by
      r.id desc
    limit
      20
  ) as reports,
  (
    select
      count(*)::integer
    from
      (
        select
        from
          reports r
        where
          r.case_id = k.id
          and r.id > k.decided_id
        limit
          1000
      ) r
  ) as "reportCount",
  concat_ws(
    '-',
    coalesce(
      (
        select
          x.revision
        from
          articles x
        where
          x.id = coalesce(k.article_id, d.article_id)
      ),
      (
        select
          x.revision
        from
          comments x
          join articles y on y.id = x.article_id
        where
          x.id = coalesce(c.id, k.comment_id, d.comment_id)
          and x.deleted_at is null
      ),
      (
        select
          x.revision
        from
          held_comments x
          join articles y on y.id = x.article_id
        where
          x.id = coalesce(c.id, k.comment_id, d.comment_id)
      ),
      (
        select
          (
            extract(
              epoch
              from
                x.updated_at
            ) * 1000
          )::bigint
        from
          members x
        where
          x.id = coalesce(
            k.member_id,
            case
              when d.article_id is null
              and d.comment_id is null then d.member_id
            end
          )
      ),
      0
    ),
    coalesce(
      (
        select
          max(r.id)
        from
          moderation_cases x
          join reports r on r.case_id = x.id
        where
          x.article_id = coalesce(k.article_id, d.article_id)
          or x.comment_id = coalesce(c.id, k.comment_id, d.comment_id)
          or x.member_id = coalesce(
            k.member_id,
            case
              when d.article_id is null
              and d.comment_id is null then d.member_id
            end
          )
      ),
      0
    ),
    coalesce(
      greatest(
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.article_id = coalesce(k.article_id, d.article_id)
        ),
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.comment_id = coalesce(c.id, k.comment_id, d.comment_id)
        ),
        (
          select
            max(x.id)
          from
            decisions x
          where
            x.member_id = coalesce(
              k.member_id,
              case
                when d.article_id is null
                and d.comment_id is null then d.member_id
              end
            )
            and x.article_id is null
            and x.comment_id is null
        )
      ),
      0
    )
  ) as revision
from
  (
    select
      *
    from
      (
        (
          select
            'REPORT' as kind,
            id,
            opened_at as created_at
          from
            moderation_cases k
          where
            k.opened_at is not null
            and coalesce(
              k.member_id,
              (
                select
                  a.member_id
                from
                  all_articles a
                where
                  a.id = k.article_id
              ),
              (
                select
                  c.member_id
                from
                  all_comments c
                where
                  c.id = k.comment_id
                  and c.deleted_at is null
              )
            ) is distinct from $3::bigint
          order by
            opened_at,
            id
          limit
            $1::bigint + $2::bigint
        )
        union all
        (
          select
            'HELD',
            id,
            held_at
          from
            held_comments h
          where
            h.member_id <> $3
            and not (
              select
                a.is_private
              from
                all_articles a
              where
                a.id = h.article_id
            )
          order by
            held_at,
            id
          limit
            $1::bigint + $2::bigint
        )
        union all
        (
          select
            'APPEAL',
            decision_id,
            created_at
          from
            appeals p
          where
            p.answer_id is null
            and (
              select
                d.member_id
              from
                decisions d
              where
                d.id = p.decision_id
            ) is distinct from $3::bigint
          order by
            created_at,
            decision_id
          limit
            $1::bigint + $2::bigint
        )
      ) e
    order by
      created_at,
      id,
      kind
    limit
      $1::bigint
    offset
      $2::bigint
  ) q
  left join lateral (
    select
      *
    from
      moderation_cases
    where
      q.kind = 'REPORT'
      and id = q.id
    limit
      1
  ) k on true
  left join lateral (
    select
      *
    from
      appeals
    where
      q.kind = 'APPEAL'
      and decision_id = q.id
    limit
      1
  ) p on true
  left join lateral (
    select
      *
    from
      decisions
    where
      id = p.decision_id
    limit
      1
  ) d on true
  left join lateral (
    select
      *
    from
      all_comments c
    where
      c.id = coalesce(
        k.comment_id,
        case q.kind
          when 'HELD' then q.id
        end
      )
      and c.deleted_at is null
    limit
      1
  ) c on true
  left join lateral (
    select
      *
    from
      all_articles
    where
      id = coalesce(k.article_id, c.article_id)
    limit
      1
  ) a on true
  left join lateral (
    select
      *
    from
      members
    where
      id = case
        when c.id is not null then c.member_id
        else coalesce(a.member_id, k.member_id, d.member_id)
      end
    limit
      1
  ) m on true
order by
  q.created_at,
  q.id,
  q.kind;
