-- lock_articles_of_member
-- (bigint) returns (bigint)
select
  count(*) as locked
from
  (
    select
    from
      all_articles
    where
      member_id = $1
    order by
      id
    for update
  ) a;

-- lock_commented_articles
-- (bigint) returns (bigint)
select
  count(*) as locked
from
  (
    select
      a.id
    from
      all_articles a
    where
      a.id in (
        select
          article_id
        from
          comments
        where
          member_id = $1
        union
        select
          article_id
        from
          held_comments
        where
          member_id = $1
      )
    order by
      a.id
    for key share
  ) a;

-- remove_followers
-- (bigint, bigint) returns (bigint)
with
  removed as (
    delete from follows
    where
      member_id = $1
      and follower_id in (
        select
          follower_id
        from
          follows
        where
          member_id = $1
        order by
          follower_id
        limit
          $2
      )
    returning
      1
  )
select
  count(*) as removed
from
  removed;

-- remove_likes
-- (bigint, bigint) returns (bigint)
with
  removed as (
    delete from article_likes
    where
      member_id = $1
      and article_id in (
        select
          article_id
        from
          article_likes
        where
          member_id = $1
        order by
          created_at,
          article_id
        limit
          $2
      )
    returning
      1
  )
select
  count(*) as removed
from
  removed;
