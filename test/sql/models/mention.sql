-- find_mentions
-- (bigint, text[], bigint) returns (bigint, text[], boolean)
with
  mentioned as (
    select
      f.member_id,
      f.names
    from
      (
        select
          m.id as member_id,
          array_agg(n.name) as names
        from
          unnest($2::text[]) with ordinality n (name, position)
          join members m on lower(m.nickname) = lower(n.name)
        where
          m.id <> $1
          and not (
            pending_since is not null
            and email_verified_at is null
          )
        group by
          m.id
        order by
          min(n.position)
        limit
          10
      ) f
      join members m on m.id = f.member_id
    order by
      m.id
    for key share of
      m
  ),
  earlier as (
    select
      member_id,
      is_notified,
      names
    from
      article_mentions
    where
      article_id = $3
  ),
  concerned as (
    select
      array(
        select
          member_id
        from
          mentioned
        union
        select
          member_id
        from
          earlier
        where
          not is_notified
          and names <> '{}'
      ) as ids
  ),
  block as materialized (
    select
      b.member_id,
      b.blocked_id
    from
      concerned
      cross join lateral blocks_between ($1, concerned.ids) b
  )
select
  m.member_id as "memberId",
  m.names,
  exists (
    select
    from
      block
    where
      member_id = m.member_id
  )
  and m.member_id not in (
    select
      member_id
    from
      earlier
    where
      names <> '{}'
  ) as "isBlocked"
from
  (
    select
      count(*)
    from
      block
  ) b
  left join mentioned m on true;

-- store_mentions
-- (bigint, bigint[], text[]) returns ()
insert into
  article_mentions as x (article_id, member_id, names)
select
  $1,
  m.id,
  array(
    select
      json_array_elements_text(m.names::json)
  )
from
  unnest($2::bigint[], $3::text[]) m (id, names)
order by
  m.id
on conflict (article_id, member_id) do update
set
  names = excluded.names;
