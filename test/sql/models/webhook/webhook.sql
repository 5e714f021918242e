-- add_webhook
-- (character varying, text[], bytea, text, bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
insert into
  webhooks as w (url, events, secret, cursor, position)
select
  $1,
  $2::text[],
  $3,
  $4,
  $5
where
  (
    select
      count(*)
    from
      webhooks
  ) < 20
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt";

-- change_webhook
-- (bigint, character varying, text[]) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
update webhooks w
set
  url = coalesce($2, url),
  events = coalesce($3::text[], events),
  (message, pending_since, next_attempt_at) = (
    select
      w.message,
      w.pending_since,
      w.next_attempt_at
    where
      $3::text[] is null
      or w.message ->> 'event' = any ($3)
  )
where
  id = $1
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt";

-- count_webhooks
-- () returns (bigint)
select
  count(*) as total
from
  webhooks;

-- delete_webhook
-- (bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
delete from webhooks w
where
  id = $1
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt";

-- disable_restored_webhooks
-- () returns ()
update webhooks
set
  is_enabled = false,
  disabled_reason = 'restored',
  claim = null,
  claimed_until = null;

-- disable_webhook
-- (bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
update webhooks w
set
  is_enabled = false
where
  id = $1
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt";

-- enable_webhook
-- (bigint, text, bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
update webhooks w
set
  is_enabled = true,
  disabled_reason = null,
  failures = 0,
  next_attempt_at = null,
  cursor = coalesce($2, cursor),
  position = coalesce($3, position),
  message = case
    when $2::text is null then message
  end,
  pending_since = case
    when $2::text is null then pending_since
  end
where
  id = $1
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt";

-- rotate_webhook_secret
-- (bigint, bytea, timestamp with time zone) returns (bigint)
update webhooks
set
  secret = $2,
  former_secret = secret,
  former_until = $3
where
  id = $1
returning
  id;

-- states_of_webhooks
-- () returns (bigint, boolean, text, integer, text, double precision)
select
  w.id,
  w.is_enabled as enabled,
  w.disabled_reason as "disabledReason",
  w.failures,
  (
    select
      coalesce('status ' || a.status, a.error)
    from
      webhook_attempts a
    where
      a.webhook_id = any (array[w.id])
    order by
      a.webhook_id desc,
      a.id desc
    limit
      1
  ) as result,
  coalesce(
    extract(
      epoch
      from
        clock_timestamp() - coalesce(w.pending_since, pending_change_since (w.events, w.position))
    )::float8,
    0
  ) as "oldestSeconds"
from
  webhooks w
order by
  w.id;

-- webhook_by_id
-- (bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
select
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt"
from
  webhooks w
where
  w.id = $1;

-- webhooks
-- (bigint, bigint) returns (bigint, character varying, text[], boolean, text, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer, timestamp with time zone)
select
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.is_enabled as "enabled",
  w.disabled_reason as "disabledReason",
  coalesce(w.pending_since, pending_change_since (w.events, w.position)) as "pendingSince",
  case
    when w.is_enabled then w.next_attempt_at
  end as "nextAttemptAt",
  w.last_success_at as "lastSuccessAt",
  w.failures as "failures",
  w.created_at as "createdAt"
from
  webhooks w
order by
  w.id
limit
  $1
offset
  $2;
