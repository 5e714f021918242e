-- fill_name_skeletons
-- (bigint[], text[]) returns ()
update members m
set
  nickname_skeleton = f.skeleton
from
  (
    select distinct
      on (skeleton) id,
      skeleton
    from
      unnest($1::bigint[], $2::text[]) as u (id, skeleton)
    order by
      skeleton,
      id
  ) f
where
  m.id = f.id
  and m.nickname_skeleton is null
  and not exists (
    select
    from
      members other
    where
      other.nickname_skeleton = f.skeleton
  );

-- members_without_skeleton
-- (bigint, bigint) returns (bigint, character varying)
select
  id,
  nickname
from
  members
where
  nickname_skeleton is null
  and id > $1
order by
  id
limit
  $2;
