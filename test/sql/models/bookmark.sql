-- add_bookmark
-- (bigint, bigint, reader) returns (bigint)
with
  article as (
    select
      a.id
    from
      all_articles a
    where
      a.id = $1
      and can_read (a.is_private, a.member_id, $3::reader)
  ),
  changed as (
    insert into
      bookmarks (article_id, member_id)
    select
      id,
      $2
    from
      article
    where
      require_not_suspended ($2)
    on conflict do nothing
  )
select
  id as "articleId"
from
  article;

-- remove_bookmark
-- (bigint, bigint, reader) returns (bigint)
with
  article as (
    select
      a.id
    from
      all_articles a
    where
      a.id = $1
      and can_read (a.is_private, a.member_id, $3::reader)
  ),
  changed as (
    delete from bookmarks
    where
      article_id in (
        select
          id
        from
          article
      )
      and member_id = $2
  )
select
  id as "articleId"
from
  article;
