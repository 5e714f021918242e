-- anonymize_comments_of_withdrawn
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          id,
          article_id
        from
          comments
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  articles_locked as materialized (
    select
      id
    from
      all_articles
    where
      id = any (
        array(
          select
            article_id
          from
            batch
        )
      )
    order by
      id
    for key share
  ),
  locked as materialized (
    select
      id
    from
      comments
    where
      id = any (
        array(
          select
            id
          from
            batch
        )
      )
      and (
        select
          count(*)
        from
          articles_locked
      ) >= 0
    order by
      id desc
    for update
  ),
  changed as (
    update comments
    set
      member_id = null
    where
      id = any (
        array(
          select
            id
          from
            locked
        )
      )
  )
select
  count(*) as changed
from
  batch;

-- anonymize_notifications_of_withdrawn
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          id
        from
          notifications
        where
          actor_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  changed as (
    update notifications
    set
      actor_id = null
    where
      id = any (
        array(
          select
            id
          from
            batch
        )
      )
  )
select
  count(*) as changed
from
  batch;

-- finish_withdrawn_members
-- (bigint[]) returns ()
delete from withdrawn_members
where
  id = any ($1::bigint[]);

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
      id = any (
        array(
          select
            id
          from
            all_articles
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
      )
    order by
      id
    for update
  ) a;

-- lock_notification_counts_of_member
-- (bigint) returns ()
select
from
  notification_counts
where
  member_id = $1
for update;

-- next_withdrawn_members
-- () returns (bigint)
select
  id
from
  withdrawn_members
order by
  id
limit
  100
for update;

-- remove_article_mentions_of_withdrawn_by_member_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          article_id,
          member_id
        from
          article_mentions
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from article_mentions t using batch b
    where
      t.article_id = b.article_id
      and t.member_id = b.member_id
  )
select
  count(*) as changed
from
  batch;

-- remove_comment_mentions_of_withdrawn_by_member_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          comment_id,
          member_id
        from
          comment_mentions
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from comment_mentions t using batch b
    where
      t.comment_id = b.comment_id
      and t.member_id = b.member_id
  )
select
  count(*) as changed
from
  batch;

-- remove_follows_of_withdrawn_by_follower_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          follower_id,
          member_id
        from
          follows
        where
          follower_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from follows t using batch b
    where
      t.follower_id = b.follower_id
      and t.member_id = b.member_id
  )
select
  count(*) as changed
from
  batch;

-- remove_follows_of_withdrawn_by_member_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          follower_id,
          member_id
        from
          follows
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from follows t using batch b
    where
      t.follower_id = b.follower_id
      and t.member_id = b.member_id
  )
select
  count(*) as changed
from
  batch;

-- remove_images_of_withdrawn
-- (bigint[], bigint) returns (text)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          id
        from
          images
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  locked as materialized (
    select
      id
    from
      all_articles
    where
      id = any (
        array(
          select
            article_id
          from
            article_images
          where
            image_id = any (
              array(
                select
                  id
                from
                  batch
              )
            )
        )
      )
    order by
      id
    for no key update
  )
delete from images
where
  id = any (
    array(
      select
        id
      from
        batch
    )
  )
  and (
    select
      count(*)
    from
      locked
  ) >= 0
returning
  key;

-- remove_notifications_of_withdrawn_by_member_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          id
        from
          notifications
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from notifications t using batch b
    where
      t.id = b.id
  )
select
  count(*) as changed
from
  batch;

-- remove_reactions_of_withdrawn_by_member_id
-- (bigint[], bigint) returns (bigint)
with
  batch as materialized (
    select
      x.*
    from
      unnest($1::bigint[]) w (id)
      cross join lateral (
        select
          article_id,
          kind,
          member_id
        from
          reactions
        where
          member_id = w.id
        limit
          $2
      ) x
    limit
      $2
  ),
  removed as (
    delete from reactions t using batch b
    where
      t.article_id = b.article_id
      and t.kind = b.kind
      and t.member_id = b.member_id
  )
select
  count(*) as changed
from
  batch;
