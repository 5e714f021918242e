-- seed_add_bookmarks
-- (bigint[]) returns ()
insert into
  bookmarks (article_id, member_id, created_at)
select distinct
  on (c.article_id) c.article_id,
  c.member_id,
  c.created_at
from
  comments c
  join all_articles a on a.id = c.article_id
where
  c.id = any ($1::bigint[])
  and c.member_id <> a.member_id
order by
  c.article_id,
  c.created_at,
  c.id;

-- seed_add_draft
-- (bigint, character varying, text, text, text[], character varying) returns (bigint)
insert into
  drafts (member_id, title, content, category_id, tags, language)
select
  $1,
  $2,
  $3,
  (
    select
      id
    from
      categories
    where
      member_id = $1
      and name = $4
  ),
  $5,
  $6
returning
  id;

-- seed_add_follows
-- (bigint[]) returns ()
insert into
  follows (follower_id, member_id, created_at)
select
  c.member_id,
  a.member_id,
  max(c.created_at)
from
  comments c
  join all_articles a on a.id = c.article_id
where
  c.id = any ($1::bigint[])
  and c.member_id <> a.member_id
group by
  1,
  2
having
  count(distinct c.article_id) > 1
order by
  1,
  2;

-- seed_add_likes
-- (bigint[]) returns ()
insert into
  reactions (article_id, kind, member_id, created_at)
select
  c.article_id,
  'LIKE',
  c.member_id,
  min(c.created_at)
from
  comments c
  join all_articles a on a.id = c.article_id
where
  c.id = any ($1::bigint[])
  and c.member_id <> a.member_id
group by
  1,
  3
order by
  1,
  3;

-- seed_add_views
-- (bigint[], timestamp with time zone) returns ()
with
  viewed as (
    insert into
      article_view_days (article_id, day, views)
    select
      a.id,
      a.created_at::date + d.n,
      (9 + 7 * r.likes) / (d.n + 1) + (a.place * 5 + d.n * 3) % 4 + 1
    from
      (
        select
          id,
          created_at,
          row_number() over (
            order by
              id
          ) as place
        from
          articles
        where
          id = any ($1::bigint[])
      ) a
      join article_counts r on r.article_id = a.id
      cross join generate_series(0, 200) d (n)
    where
      a.created_at::date + d.n <= $2::timestamptz::date
    returning
      article_id,
      views
  )
update article_counts r
set
  views = r.views + v.views
from
  (
    select
      article_id,
      sum(views) as views
    from
      viewed
    group by
      1
  ) v
where
  r.article_id = v.article_id;

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
