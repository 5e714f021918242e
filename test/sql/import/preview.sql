-- import_count_categories
-- (bigint) returns (bigint)
select
  count(*) as total
from
  categories
where
  member_id = $1
  and not is_default;

-- import_count_drafts
-- (bigint) returns (integer, bigint)
select
  drafts,
  bytes
from
  draft_counts
where
  member_id = $1;

-- import_count_in_series
-- (bigint) returns (bigint)
select
  count(*) as total
from
  all_articles
where
  series_id = $1;

-- import_count_series
-- (bigint) returns (bigint)
select
  count(*) as total
from
  series
where
  member_id = $1;

-- import_find_taken_names
-- (text[], text[]) returns (text)
select
  n.nickname
from
  unnest($1::text[], $2::text[]) as n (nickname, skeleton)
where
  exists (
    select
    from
      members m
    where
      lower(m.nickname) = lower(n.nickname)
  )
  or exists (
    select
    from
      members m
    where
      m.nickname_skeleton = n.skeleton
  );

-- import_is_slug_taken
-- (text) returns (boolean)
select
  exists (
    select
    from
      article_slugs
    where
      slug = $1
  ) as taken;

-- import_read_only
-- () returns (text)
select
  set_config('transaction_read_only', 'on', true);
