-- categories_by_id
-- (bigint[]) returns (bigint, character varying, bigint, boolean)
select
  id as "id",
  name as "name",
  member_id as "memberId",
  is_default as "isDefault"
from
  categories
where
  id = any ($1::bigint[]);

-- categories_of_members
-- (bigint[]) returns (bigint, character varying, bigint, boolean)
select
  id as "id",
  name as "name",
  member_id as "memberId",
  is_default as "isDefault"
from
  categories
where
  member_id = any ($1::bigint[])
order by
  is_default desc,
  lower(name),
  id;

-- category_for_article
-- (bigint, text, uuid) returns (bigint, boolean)
select
  id,
  (
    $3::uuid is null
    or coalesce(
      (
        select
          require_not_suspended (member_id)
        from
          sessions
        where
          id = $3
          and expires_at > now()
      ),
      (
        select
          require_not_suspended (member_id)
        from
          api_tokens
        where
          id = $3
          and coalesce(expires_at > now(), true)
      ),
      false
    )
  ) as "hasAccess"
from
  categories
where
  member_id = $1
  and case
    when $2::text is null then is_default
    else lower(name) = lower($2)
  end
for key share;

-- count_categories
-- (bigint) returns (bigint)
select
  count(*) as count
from
  categories
where
  member_id = $1
  and not is_default;

-- counts_by_category
-- (bigint[], reader) returns (bigint, integer)
select
  k.id,
  c.articles + case
    when k.member_id = ($2::reader).article_reader_id then c.private_articles
    else 0
  end as articles
from
  categories k
  join category_counts c on c.category_id = k.id
where
  k.id = any ($1::bigint[]);

-- move_articles_to_default
-- (bigint, bigint) returns ()
update all_articles
set
  category_id = (
    select
      id
    from
      categories
    where
      member_id = $2
      and is_default
  )
where
  id = any (
    array(
      select
        id
      from
        all_articles
      where
        category_id = $1
      order by
        id
      for no key update
    )
  );
