-- add_webhook_attempt
-- (bigint, text, text, text, timestamp with time zone, integer, text, integer, character varying) returns (bigint, text, text, text, timestamp with time zone, integer, text, integer, character varying)
with
  replaced as (
    delete from webhook_attempts
    where
      webhook_id = $1
      and id <= (
        select
          id
        from
          webhook_attempts
        where
          webhook_id = $1
        order by
          id desc
        limit
          1
        offset
          199
      )
  )
insert into
  webhook_attempts (webhook_id, message_id, event, cursor, attempted_at, status, error, duration_ms, response)
select
  id,
  $2,
  $3,
  $4,
  $5,
  $6,
  $7,
  $8,
  $9
from
  webhooks
where
  id = $1
for key share
returning
  id as "id",
  message_id as "messageId",
  event as "event",
  cursor as "cursor",
  attempted_at as "attemptedAt",
  status as "status",
  error as "error",
  duration_ms as "durationMs",
  response as "response";

-- attempts_of_webhook
-- (bigint, bigint, bigint) returns (bigint, text, text, text, timestamp with time zone, integer, text, integer, character varying)
select
  id as "id",
  message_id as "messageId",
  event as "event",
  cursor as "cursor",
  attempted_at as "attemptedAt",
  status as "status",
  error as "error",
  duration_ms as "durationMs",
  response as "response"
from
  webhook_attempts
where
  webhook_id = any (array[$1::bigint])
order by
  webhook_id desc,
  id desc
limit
  $2
offset
  $3;

-- count_webhook_attempts
-- (bigint) returns (bigint)
select
  (
    select
      count(*)
    from
      webhook_attempts
    where
      webhook_id = w.id
  ) as total
from
  webhooks w
where
  w.id = $1;
