-- cache_summary
-- (bytea, bigint, text, text[]) returns ()
insert into
  summary_answers as k (key, article_id, summary, tags)
values
  ($1, $2, $3, $4)
on conflict (key, article_id) do update
set
  created_at = now();

-- cancel_summary
-- (bigint, text, boolean) returns ()
update article_summaries
set
  revision = revision + 1,
  status = $2,
  tags = case
    when $3::boolean then '{}'
    else tags
  end
where
  article_id = $1
  and (
    $3::boolean
    or status in ('PENDING', 'PROCESSING')
  );

-- evict_cached_summaries
-- (bigint) returns ()
delete from summary_answers
where
  article_id = $1
  and key in (
    select
      key
    from
      summary_answers
    where
      article_id = $1
    order by
      created_at desc,
      key
    offset
      10
  );

-- find_summary_answer
-- (bytea) returns (text, text[])
select
  summary,
  tags
from
  summary_answers
where
  key = $1
limit
  1;

-- finish_summary
-- (bigint, integer, text, text[]) returns (boolean)
update article_summaries
set
  status = $3,
  tags = coalesce($4::text[], tags)
where
  article_id = $1
  and revision = $2
  and status = 'PROCESSING'
returning
  true as "isFinished";

-- lock_article_for_summary
-- (bigint) returns ()
select
from
  all_articles
where
  id = $1
for no key update;

-- request_missing_summary
-- (bigint) returns (integer, integer)
insert into
  article_summaries as s (article_id, member_id, round)
select
  a.id,
  a.member_id,
  greatest(
    (
      select
        min(round)
      from
        article_summaries
      where
        status in ('PENDING', 'PROCESSING')
    ),
    (
      select
        max(round) + 1
      from
        article_summaries
      where
        member_id = a.member_id
        and article_id <> a.id
        and status in ('PENDING', 'PROCESSING')
    ),
    0
  )
from
  all_articles a
where
  a.id = $1
on conflict (article_id) do update
set
  revision = s.revision + 1,
  status = 'PENDING',
  member_id = excluded.member_id,
  round = excluded.round
where
  s.status = 'FAILED'
returning
  revision,
  round;

-- request_summary
-- (bigint) returns (integer, integer)
insert into
  article_summaries as s (article_id, member_id, round)
select
  a.id,
  a.member_id,
  greatest(
    (
      select
        min(round)
      from
        article_summaries
      where
        status in ('PENDING', 'PROCESSING')
    ),
    (
      select
        max(round) + 1
      from
        article_summaries
      where
        member_id = a.member_id
        and article_id <> a.id
        and status in ('PENDING', 'PROCESSING')
    ),
    0
  )
from
  all_articles a
where
  a.id = $1
on conflict (article_id) do update
set
  revision = s.revision + 1,
  status = 'PENDING',
  member_id = excluded.member_id,
  round = excluded.round,
  tags = '{}'
returning
  revision,
  round;

-- reset_summary
-- (bigint, integer) returns ()
update article_summaries
set
  status = 'PENDING'
where
  article_id = $1
  and revision = $2
  and status = 'PROCESSING';

-- retry_summary
-- (bigint) returns (integer, integer)
insert into
  article_summaries as s (article_id, member_id, round)
select
  a.id,
  a.member_id,
  greatest(
    (
      select
        min(round)
      from
        article_summaries
      where
        status in ('PENDING', 'PROCESSING')
    ),
    (
      select
        max(round) + 1
      from
        article_summaries
      where
        member_id = a.member_id
        and article_id <> a.id
        and status in ('PENDING', 'PROCESSING')
    ),
    0
  )
from
  all_articles a
where
  a.id = $1
on conflict (article_id) do update
set
  revision = s.revision + 1,
  status = 'PENDING',
  member_id = excluded.member_id,
  round = excluded.round
where
  s.status in ('COMPLETED', 'FAILED')
returning
  revision,
  round;

-- set_summary
-- (bigint, text) returns ()
update all_articles
set
  ai_summary = $2
where
  id = $1;

-- start_summary
-- (bigint, integer, integer) returns (text, text, bigint, boolean, boolean)
with
  article as materialized (
    select
      *,
      not is_private
      or revision is not distinct from $3::integer as is_permitted
    from
      all_articles
    where
      id = $1
    for share
  )
update article_summaries s
set
  status = case
    when a.is_permitted then 'PROCESSING'
    when a.ai_summary is null then 'FAILED'
    else 'COMPLETED'
  end
from
  article a
  left join article_texts t on t.article_id = a.id
where
  a.id = s.article_id
  and s.article_id = $1
  and s.revision = $2
  and s.status in ('PENDING', 'PROCESSING')
returning
  a.content,
  t.text,
  a.member_id as "authorId",
  a.is_private as "isPrivate",
  a.is_permitted as "isPermitted";

-- summaries_by_article
-- (bigint[]) returns (bigint, text, text[])
select
  article_id as id,
  status,
  tags
from
  article_summaries
where
  article_id = any ($1::bigint[]);
