-- begin_translations
-- (bigint, bigint) returns (bigint)
with
  added as (
    insert into
      translation_groups (member_id)
    values
      ($2)
    returning
      id
  )
update all_articles a
set
  translation_group_id = added.id
from
  added
where
  a.id = $1
returning
  added.id as "groupId";

-- count_translations
-- (bigint) returns (integer)
select
  count(*)::integer as articles
from
  all_articles
where
  translation_group_id = $1;

-- find_translated
-- (bigint, bigint) returns (character varying, bigint)
select
  language,
  translation_group_id as "groupId"
from
  all_articles
where
  id = $1
  and member_id = $2
  and removed_at is null;

-- lock_for_translation
-- (bigint, bigint, bigint) returns ()
with
  author as materialized (
    select
      id
    from
      members
    where
      id = coalesce(
        $2::bigint,
        (
          select
            member_id
          from
            all_articles
          where
            id = $1::bigint
        )
      )
    for no key update
  )
select
from
  all_articles
where
  member_id = (
    select
      id
    from
      author
  )
  and id in ($1, $3)
order by
  id
for update;

-- translation_keys
-- (bigint[]) returns (bigint, character varying)
select
  a.id,
  g.key
from
  all_articles a
  join translation_groups g on g.id = a.translation_group_id
where
  a.id = any ($1::bigint[]);
