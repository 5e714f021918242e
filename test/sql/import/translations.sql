-- import_add_translations
-- (bigint, character varying) returns (bigint)
insert into
  translation_groups (member_id, key)
values
  ($1, $2)
returning
  id;

-- import_find_translations
-- (bigint, text, text) returns (bigint, integer, boolean)
select
  g.id,
  count(a.id)::integer as articles,
  coalesce(bool_or(a.language = $3), false) as "isTaken"
from
  translation_groups g
  left join all_articles a on a.translation_group_id = g.id
where
  g.member_id = $1
  and g.key = $2
group by
  g.id;
