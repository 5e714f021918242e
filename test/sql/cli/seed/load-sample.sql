-- seed_count_rows
-- (text[]) returns (bigint, bigint, bigint)
select
  (
    select
      count(*)
    from
      members
  ) as members,
  (
    select
      count(*)
    from
      all_articles
  ) as articles,
  (
    select
      count(*)
    from
      members
    where
      lower(email::text collate "C") = any ($1::text[])
  ) as seeded;

-- seed_date_notifications
-- (bigint[], timestamp with time zone) returns (bigint)
update notifications n
set
  created_at = c.created_at,
  read_at = case
    when c.created_at < $2::timestamptz - interval '10 days' then c.created_at + interval '5 hours'
  end
from
  comments c
where
  c.id = n.comment_id
  and c.id = any ($1::bigint[])
returning
  n.id;

-- seed_lock
-- () returns (void)
select
  pg_advisory_xact_lock(4270020);
