-- add_spam_decisions
-- (bigint[], integer[]) returns ()
insert into
  spam_deciders as d (member_id, decisions)
select
  n.member_id,
  n.decisions
from
  unnest($1::bigint[], $2::integer[]) n (member_id, decisions)
  join members m on m.id = n.member_id
on conflict (member_id) do update
set
  decisions = d.decisions + excluded.decisions;

-- lock_spam_model
-- () returns (bigint, integer, integer, bytea)
select
  version,
  spam,
  other,
  counts as bytes
from
  spam_model
for update;

-- record_spam_label
-- (text, boolean, bigint, bigint) returns ()
insert into
  spam_labels (content, is_spam, member_id, decided_by)
values
  (left($1, 1000), $2, $3, $4);

-- spam_model
-- () returns (bigint, integer, integer, bytea)
select
  version,
  spam,
  other,
  counts as bytes
from
  spam_model;

-- store_spam_model
-- (integer, integer, bytea) returns ()
insert into
  spam_model as s (version, spam, other, counts)
values
  (1, $1, $2, $3)
on conflict (is_only) do update
set
  version = s.version + 1,
  spam = excluded.spam,
  other = excluded.other,
  counts = excluded.counts;

-- take_spam_labels
-- (bigint) returns (character varying, boolean, bigint, boolean, integer)
with
  taken as (
    delete from spam_labels
    where
      id = any (
        array(
          select
            id
          from
            spam_labels
          order by
            id
          limit
            $1
        )
      )
    returning
      *
  )
select
  t.content,
  t.is_spam as "isSpam",
  t.decided_by as "deciderId",
  t.decided_by is null
  or coalesce(
    (
      select
        o.role <> 'MEMBER'
        and coalesce(o.suspended_until <= now(), true)
      from
        members o
      where
        o.id = t.decided_by
    ),
    false
  ) as "isTrusted",
  coalesce(d.decisions, 0) as decisions
from
  taken t
  left join spam_deciders d on d.member_id = t.decided_by
order by
  t.id;
