-- add_tags
-- (text[], bigint) returns (boolean)
insert into
  tags (name)
select
  name
from
  (
    select
      unnest($1::text[])
    union
    select
      t.name
    from
      all_article_tags x
      join tags t on t.id = x.tag_id
    where
      x.article_id = $2
  ) u (name)
order by
  name
on conflict (name) do update
set
  name = excluded.name
returning
  xmax = 0 as "isNew";

-- count_member_tags
-- (bigint) returns (bigint)
select
  count(*) as total
from
  member_tags
where
  member_id = $1
  and article_count > 0;

-- count_tags
-- () returns (bigint)
select
  coalesce(sum(tags), 0)::bigint as total
from
  tag_totals;

-- lock_tags_of_member
-- (bigint) returns (void)
select
  lock_tags (
    array(
      select
        x.tag_id
      from
        all_articles a
        join all_article_tags x on x.article_id = a.id
      where
        a.member_id = $1
    )
  );

-- member_tag_page
-- (bigint, integer, bigint) returns (character varying, integer, bigint)
select
  p.name,
  p.article_count as "articleCount",
  t.total
from
  (
    select
      count(*) as total
    from
      member_tags
    where
      member_id = $1
      and article_count > 0
  ) t
  cross join lateral (
    select
      name,
      article_count
    from
      member_tags
    where
      member_id = $1
      and article_count > 0
    order by
      article_count desc,
      name
    limit
      case
        when $3::bigint < t.total then $2::integer
        else 0
      end
    offset
      $3::bigint
  ) p
order by
  p.article_count desc,
  p.name;

-- tag_article
-- (bigint, text[]) returns ()
insert into
  all_article_tags (article_id, position, tag_id)
select
  $1,
  u.place - 1,
  t.id
from
  unnest($2::text[]) with ordinality as u (name, place)
  join tags t using (name);

-- tag_page
-- (integer, bigint) returns (character varying, integer, bigint)
select
  p.name,
  p.article_count as "articleCount",
  t.total
from
  (
    select
      coalesce(sum(tags), 0)::bigint as total
    from
      tag_totals
  ) t
  cross join lateral (
    select
      name,
      article_count
    from
      tags
    where
      article_count > 0
    order by
      article_count desc,
      name
    limit
      case
        when $2::bigint < t.total then $1::integer
        else 0
      end
    offset
      $2::bigint
  ) p
order by
  p.article_count desc,
  p.name;

-- untag_article
-- (bigint) returns ()
delete from all_article_tags
where
  article_id = $1;
