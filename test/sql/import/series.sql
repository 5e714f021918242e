-- import_add_series
-- (bigint, character varying, character varying, timestamp with time zone, bigint) returns (bigint)
insert into
  series (member_id, title, description, updated_at)
select
  $1,
  $2,
  $3,
  coalesce($4, now())
where
  (
    select
      count(*)
    from
      series
    where
      member_id = $1
  ) < $5
returning
  id;

-- import_add_to_series
-- (bigint, bigint, integer, bigint) returns (bigint)
with
  others as (
    select
      id,
      series_position as key,
      created_at
    from
      all_articles
    where
      series_id = $2
  ),
  listed as (
    select
      id,
      row_number() over (
        order by
          key,
          is_other,
          id
      ) as position
    from
      (
        select
          id,
          key,
          true as is_other
        from
          others
        union all
        select
          id,
          coalesce(
            (
              select
                min(o.key)
              from
                others o
              where
                o.created_at > a.created_at
            ),
            2147483647
          ),
          false
        from
          all_articles a
        where
          id = $1
      ) x
  )
update all_articles a
set
  series_id = $2,
  series_position = coalesce($3, l.position)
from
  listed l
where
  a.id = l.id
  and (
    a.id = $1
    or (
      $3::integer is null
      and a.series_position <> l.position
    )
  )
  and (
    select
      count(*)
    from
      others
  ) < $4
returning
  a.id;

-- import_find_series
-- (bigint, bigint, text) returns (bigint)
select
  id
from
  series
where
  member_id = $1
  and case
    when $2::bigint is null then title = $3
    else id = $2
  end
order by
  id
limit
  1;

-- import_lock_series
-- (bigint) returns (bigint)
select
  id
from
  members
where
  id = $1
for no key update;
