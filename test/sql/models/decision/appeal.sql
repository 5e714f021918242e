-- add_appeal
-- (bigint, text) returns ()
insert into
  appeals (decision_id, text)
values
  ($1, $2);

-- answer_appeal
-- (bigint, bigint) returns ()
update appeals
set
  answer_id = $2
where
  decision_id = $1;

-- appeal_state
-- (bigint, bigint) returns (boolean, boolean, boolean)
select
  p.decision_id is not null as "isAppealed",
  case
    when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '6 months'
  end is not null as "isAppealable",
  coalesce(
    case
      when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '6 months'
    end <= now(),
    false
  ) as "isLate"
from
  decisions d
  left join appeals p on p.decision_id = d.id
where
  d.id = $1
  and d.member_id = $2
  and d.action not in ('DISMISS', 'APPROVE');

-- decision_to_mail
-- (bigint) returns (bigint, text, text, character varying, text, text, timestamp with time zone, timestamp with time zone)
select
  d.member_id as "memberId",
  d.action,
  case
    when d.comment_id is not null then 'COMMENT'
    when d.article_id is not null then 'ARTICLE'
  end as target,
  coalesce(a.title, '') as title,
  d.rule,
  d.statement,
  d.until,
  case
    when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '6 months'
  end as "appealableUntil"
from
  decisions d
  left join all_comments c on c.id = d.comment_id
  and c.deleted_at is null
  left join all_articles a on a.id = coalesce(d.article_id, c.article_id)
  and can_read (a.is_private, a.member_id, reader_of (d.member_id))
where
  d.id = $1
  and d.member_id is not null
  and d.action not in ('DISMISS', 'APPROVE');

-- find_appealed_decision
-- (bigint) returns (text, bigint, bigint, bigint, bigint)
select
  d.action,
  d.article_id as "articleId",
  d.comment_id as "commentId",
  d.member_id as "memberId",
  d.moderator_id as "moderatorId"
from
  appeals p
  join decisions d on d.id = p.decision_id
where
  p.decision_id = $1;

-- has_other_moderator
-- (bigint[], text[]) returns (boolean)
select
  exists (
    select
    from
      members
    where
      role <> 'MEMBER'
      and role = any ($2::text[])
      and id <> all ($1::bigint[])
      and locked_at is null
      and coalesce(suspended_until <= now(), true)
  ) as exists;

-- is_last_decision_of_action
-- (bigint) returns (boolean)
select
  not exists (
    select
    from
      decisions l
    where
      l.member_id = d.member_id
      and l.id > d.id
      and l.action = d.action
      and (l.article_id, l.comment_id) is not distinct from (d.article_id, d.comment_id)
  ) as "isLast"
from
  decisions d
where
  d.id = $1;

-- lock_appeal
-- (bigint) returns (bigint)
select
  decision_id as "decisionId"
from
  appeals
where
  decision_id = $1
  and answer_id is null
for update;

-- lock_appealed_content
-- (bigint, bigint) returns (bigint, bigint)
select
  (
    select
      id
    from
      all_articles a
    where
      a.id = d.article_id
    for share
  ),
  (
    select
      id
    from
      comments c
    where
      c.id = d.comment_id
    for share
  )
from
  decisions d
where
  d.id = $1
  and d.member_id = $2;

-- own_decision
-- (bigint, bigint) returns (bigint, text, bigint, bigint, bigint, timestamp with time zone, text, text, timestamp with time zone, text, timestamp with time zone, bigint, timestamp with time zone)
select
  d.id as "id",
  d.action as "action",
  d.article_id as "articleId",
  d.comment_id as "commentId",
  d.appeal_of as "appealOf",
  d.until as "until",
  d.rule as "rule",
  d.statement as "statement",
  d.created_at as "createdAt",
  p.text as "appealText",
  p.created_at as "appealedAt",
  p.answer_id as "answerId",
  case
    when p.decision_id is null
    and case
      when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '6 months'
    end > now() then case
      when d.action in ('REMOVE', 'SUSPEND') then d.created_at + interval '6 months'
    end
  end as "appealableUntil"
from
  decisions d
  left join appeals p on p.decision_id = d.id
where
  d.id = $1
  and d.member_id = $2
  and d.action not in ('DISMISS', 'APPROVE');
