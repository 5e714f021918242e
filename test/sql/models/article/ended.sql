-- finish_ended_articles
-- (bigint[]) returns ()
delete from ended_articles
where
  article_id = any ($1::bigint[]);

-- finish_notified_articles
-- (bigint[]) returns ()
update ended_articles
set
  notification_id = null
where
  article_id = any ($1::bigint[]);

-- next_ended_articles
-- () returns (bigint)
select
  article_id as "articleId"
from
  ended_articles
where
  notification_id is null
order by
  article_id
limit
  100
for update;

-- next_notified_articles
-- () returns (bigint)
select
  article_id as "articleId"
from
  ended_articles
where
  notification_id is not null
order by
  article_id
limit
  100
for update;

-- remove_ended_bookmarks
-- (bigint[], bigint) returns (bigint)
with
  chosen as materialized (
    select
      x.*
    from
      ended_articles e
      cross join lateral (
        select
          article_id,
          member_id
        from
          bookmarks x
        where
          x.article_id = e.article_id
          and e.is_deleted
        order by
          member_id
        limit
          $2
      ) x
    where
      e.article_id = any ($1::bigint[])
    limit
      $2
  ),
  removed as (
    delete from bookmarks
    where
      article_id = any (
        array(
          select
            article_id
          from
            chosen
        )
      )
      and (article_id, member_id) in (
        select
          *
        from
          chosen
      )
  )
select
  count(*) as removed
from
  chosen;

-- remove_ended_comments
-- (bigint[], bigint) returns (bigint)
with
  chosen as materialized (
    select
      x.id
    from
      ended_articles e
      cross join lateral (
        select
          id
        from
          comments
        where
          article_id = e.article_id
        order by
          created_at desc,
          id desc
        limit
          $2
      ) x
    where
      e.article_id = any ($1::bigint[])
      and e.is_deleted
    limit
      $2
  ),
  removed as (
    delete from comments
    where
      id = any (
        array(
          select
            id
          from
            chosen
        )
      )
  )
select
  count(*) as removed
from
  chosen;

-- remove_ended_notifications
-- (bigint[], bigint) returns (bigint)
with
  chosen as materialized (
    select
      x.*
    from
      ended_articles e
      cross join lateral (
        select
          id
        from
          notifications x
        where
          x.article_id = e.article_id
          and (
            e.is_deleted
            or x.type = 'ARTICLE'
          )
          and x.id <= e.notification_id
        order by
          member_id
        limit
          $2
      ) x
    where
      e.article_id = any ($1::bigint[])
    limit
      $2
  ),
  removed as (
    delete from notifications
    where
      id = any (
        array(
          select
            id
          from
            chosen
        )
      )
  )
select
  count(*) as removed
from
  chosen;

-- remove_ended_reactions
-- (bigint[], bigint) returns (bigint)
with
  chosen as materialized (
    select
      x.*
    from
      ended_articles e
      cross join lateral (
        select
          article_id,
          kind,
          member_id
        from
          reactions x
        where
          x.article_id = e.article_id
          and e.is_deleted
        order by
          kind,
          member_id
        limit
          $2
      ) x
    where
      e.article_id = any ($1::bigint[])
    limit
      $2
  ),
  removed as (
    delete from reactions
    where
      article_id = any (
        array(
          select
            article_id
          from
            chosen
        )
      )
      and (article_id, kind, member_id) in (
        select
          *
        from
          chosen
      )
  )
select
  count(*) as removed
from
  chosen;
