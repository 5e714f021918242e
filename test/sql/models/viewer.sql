-- article_viewers
-- (bigint[], bigint, reader) returns (bigint, boolean, boolean, boolean)
select
  a.id,
  exists (
    select
    from
      reactions
    where
      article_id = a.id
      and kind = 'LIKE'
      and member_id = $2
    offset
      0
  ) as liked,
  exists (
    select
    from
      bookmarks
    where
      article_id = a.id
      and member_id = $2
    offset
      0
  ) as bookmarked,
  exists (
    select
    from
      follows
    where
      member_id = a.member_id
      and follower_id = $2
    offset
      0
  ) as "followsAuthor"
from
  all_articles a
where
  a.id = any ($1::bigint[])
  and can_read (a.is_private, a.member_id, $3::reader);

-- member_viewers
-- (bigint[], bigint) returns (bigint, boolean, boolean)
select
  m.id,
  exists (
    select
    from
      follows
    where
      member_id = m.id
      and follower_id = $2
    offset
      0
  ) as follows,
  exists (
    select
    from
      blocks
    where
      member_id = $2
      and blocked_id = m.id
    offset
      0
  ) as blocks
from
  unnest($1::bigint[]) m (id);
