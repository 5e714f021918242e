-- is_removed_article_appealed
-- (bigint) returns (boolean)
select
  exists (
    select
    from
      decisions d
      join appeals p on p.decision_id = d.id
    where
      d.article_id = $1
      and p.answer_id is null
  ) as "isAppealed";

-- is_removed_comment_appealed
-- (bigint) returns (boolean)
select
  exists (
    select
    from
      decisions d
      join appeals p on p.decision_id = d.id
    where
      d.comment_id = $1
      and p.answer_id is null
  ) as "isAppealed";

-- next_removed_article
-- (double precision, timestamp with time zone, bigint) returns (bigint, timestamp with time zone)
select
  id,
  removed_at as "removedAt"
from
  all_articles t
where
  removed_at <= now() - $1 * interval '1 millisecond'
  and (
    $2::timestamptz is null
    or (removed_at, id) > ($2, $3)
  )
  and not exists (
    select
    from
      decisions d
      join appeals p on p.decision_id = d.id
    where
      d.article_id = t.id
      and p.answer_id is null
  )
order by
  removed_at,
  id
limit
  1;

-- next_removed_comment
-- (double precision, timestamp with time zone, bigint) returns (bigint, timestamp with time zone)
select
  id,
  removed_at as "removedAt"
from
  comments t
where
  removed_at <= now() - $1 * interval '1 millisecond'
  and (
    $2::timestamptz is null
    or (removed_at, id) > ($2, $3)
  )
  and not exists (
    select
    from
      decisions d
      join appeals p on p.decision_id = d.id
    where
      d.comment_id = t.id
      and p.answer_id is null
  )
order by
  removed_at,
  id
limit
  1;

-- remove_article
-- (bigint) returns (bigint)
with
  removed as (
    update all_articles
    set
      removed_at = clock_timestamp(),
      restores_public = not is_private,
      is_private = true
    where
      id = $1
      and removed_at is null
    returning
      id,
      ai_summary
  ),
  cancelled as (
    update article_summaries s
    set
      revision = s.revision + 1,
      status = case
        when r.ai_summary is null then 'FAILED'
        else 'COMPLETED'
      end
    from
      removed r
    where
      s.article_id = r.id
      and s.status in ('PENDING', 'PROCESSING')
  )
select
  id
from
  removed;

-- remove_comment
-- (bigint) returns (bigint)
update comments
set
  removed_at = clock_timestamp()
where
  id = $1
  and deleted_at is null
  and removed_at is null
returning
  id;

-- restore_article
-- (bigint) returns (bigint)
update all_articles
set
  removed_at = null,
  is_private = not restores_public,
  restores_public = false
where
  id = $1
  and removed_at is not null
returning
  id;

-- restore_comment
-- (bigint) returns (bigint)
update comments
set
  removed_at = null
where
  id = $1
  and deleted_at is null
  and removed_at is not null
returning
  id;
