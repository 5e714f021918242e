-- count_limits
-- (text[], integer[], bigint[]) returns (character varying, integer, bigint)
insert into
  rate_limits as r (key, points, expire)
select
  key,
  points,
  (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint + ms
from
  unnest($1::text[], $2::integer[], $3::bigint[]) as given (key, points, ms)
on conflict (key) do update
set
  points = case
    when r.expire <= (
      extract(
        epoch
        from
          now()
      ) * 1000
    )::bigint then excluded.points
    else least(r.points::bigint + excluded.points, 2147483647)::integer
  end,
  expire = case
    when r.expire <= (
      extract(
        epoch
        from
          now()
      ) * 1000
    )::bigint then excluded.expire
    else least(r.expire, excluded.expire)
  end
returning
  key,
  points,
  expire - (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint as "remainingMs";

-- counted_points
-- (text) returns (integer, bigint)
select
  points,
  expire - (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint as "remainingMs"
from
  rate_limits
where
  key = $1
  and expire > (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint;

-- delete_expired_limits
-- () returns ()
delete from rate_limits
where
  expire < (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint;

-- refund_points
-- (text, integer) returns ()
update rate_limits
set
  points = greatest(points - $2::integer, 0)
where
  key = $1
  and expire > (
    extract(
      epoch
      from
        now()
    ) * 1000
  )::bigint;

-- reset_limit
-- (text) returns ()
delete from rate_limits
where
  key = $1;

-- shorten_limit
-- (text, bigint) returns ()
update rate_limits
set
  expire = least(
    expire,
    (
      extract(
        epoch
        from
          now()
      ) * 1000
    )::bigint + $2::bigint
  )
where
  key = $1;
