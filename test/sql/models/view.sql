-- article_statistics
-- (bigint, date, date) returns (json[], integer, integer, bigint, integer)
select
  array(
    select
      json_build_object('date', g.day::date, 'count', coalesce(d.views, 0))
    from
      generate_series($2::date::timestamp, $3::date::timestamp, interval '1 day') g (day)
      left join article_view_days d on d.article_id = a.id
      and d.day = g.day::date
    order by
      g.day
  ) as views,
  coalesce(r.views, 0) as "viewCount",
  coalesce(r.likes, 0) - case
    when exists (
      select
      from
        withdrawn_members
    ) then reactions_of_withdrawn (r.article_id, 'LIKE')
    else 0
  end as "likeCount",
  (
    select
      count(*)
    from
      bookmarks
    where
      article_id = a.id
  ) as "bookmarkCount",
  a.comment_count as "commentCount"
from
  all_articles a
  left join article_counts r on r.article_id = a.id
where
  a.id = $1;

-- count_views
-- (date, bigint[], bigint[], text[], text[], integer) returns (double precision[])
select
  count_views (
    $1::date,
    $2::bigint[],
    $3::bigint[],
    array(
      select
        decode(v.text, 'base64')
      from
        unnest($4::text[]) with ordinality v (text, place)
      order by
        v.place
    ),
    array(
      select
        decode(v.text, 'base64')
      from
        unnest($5::text[]) with ordinality v (text, place)
      order by
        v.place
    ),
    $6
  )::float8[] as "articleIds";

-- delete_past_view_readers
-- (bigint) returns (bigint)
with
  deleted as (
    delete from view_readers
    where
      ctid = any (
        array(
          select
            ctid
          from
            view_readers
          where
            day < ((now() - interval '1 hour') at time zone 'UTC')::date
          order by
            day
          limit
            $1
        )
      )
    returning
      1
  )
select
  count(*) as deleted
from
  deleted;

-- delete_past_view_salts
-- () returns ()
delete from view_salts
where
  day < ((now() - interval '1 hour') at time zone 'UTC')::date;

-- salts_of_days
-- (date[], text[]) returns (text, text)
insert into
  view_salts (day, salt)
select
  v.day,
  v.salt
from
  unnest($1::date[], $2::text[]) v (day, salt)
order by
  v.day
on conflict (day) do update
set
  salt = view_salts.salt
returning
  day::text,
  salt;
