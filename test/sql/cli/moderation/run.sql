-- find_comment_of_operator
-- (bigint) returns (bigint, bigint, bigint, character varying, boolean, boolean)
select
  id,
  article_id as "articleId",
  member_id as "memberId",
  content,
  is_hidden as "isHidden",
  held_at is not null as "isHeld"
from
  all_comments
where
  id = $1
  and deleted_at is null;
