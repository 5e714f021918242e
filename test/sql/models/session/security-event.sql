-- count_member_events
-- (bigint) returns (bigint)
select
  count(*) as total
from
  security_events
where
  member_id = $1;

-- is_known_network
-- (bigint, text) returns (bigint)
select
  id
from
  security_events
where
  member_id = $1
  and kind = 'LOGIN'
  and nullif(address, '')::inet <<= nullif($2, '')::inet
order by
  id desc
limit
  1;

-- member_events
-- (bigint, bigint, bigint) returns (bigint, character varying, character varying, text, text, timestamp with time zone)
select
  id as "id",
  kind as "kind",
  provider as "provider",
  address as "address",
  device as "device",
  created_at as "createdAt"
from
  security_events
where
  member_id = $1
order by
  id desc
limit
  $2
offset
  $3;

-- record_event
-- (bigint, character varying, character varying, uuid, text, text) returns ()
with
  forgotten as (
    delete from security_events
    where
      id = any (
        array(
          select
            id
          from
            security_events
          where
            member_id is null
            and created_at < now() - interval '30 days'
          order by
            created_at
          limit
            100
        )
      )
  )
insert into
  security_events (member_id, kind, provider, session_id, address, device)
values
  ($1, $2, $3, $4, $5, $6);
