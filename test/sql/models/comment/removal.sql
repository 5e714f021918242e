-- remove_comments_of_article
-- (bigint, bigint) returns (bigint)
with
  newest as materialized (
    select
      id
    from
      comments
    where
      article_id = $1
    order by
      created_at desc,
      id desc
    limit
      $2::bigint + 1
  ),
  batch as materialized (
    select
      id
    from
      newest
    where
      (
        select
          count(*)
        from
          newest
      ) > $2::bigint
    limit
      $2::bigint
  ),
  removed as (
    delete from comments
    where
      id = any (
        array(
          select
            id
          from
            batch
        )
      )
    returning
      id
  ),
  notified as (
    delete from notifications
    where
      comment_id = any (
        array(
          select
            id
          from
            removed
        )
      )
  )
select
  count(*) as removed
from
  batch;

-- remove_received_comments
-- (bigint, bigint) returns (bigint)
with
  newest as materialized (
    select
      id
    from
      comments
    where
      received_by = $1
    order by
      created_at desc,
      id desc
    limit
      $2::bigint + 1
  ),
  batch as materialized (
    select
      id
    from
      newest
    where
      (
        select
          count(*)
        from
          newest
      ) > $2::bigint
    limit
      $2::bigint
  ),
  removed as (
    delete from comments
    where
      id = any (
        array(
          select
            id
          from
            batch
        )
      )
    returning
      id
  ),
  notified as (
    delete from notifications
    where
      comment_id = any (
        array(
          select
            id
          from
            removed
        )
      )
  )
select
  count(*) as removed
from
  batch;
