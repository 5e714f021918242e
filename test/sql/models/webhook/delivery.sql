-- claim_due_webhooks
-- (uuid, timestamp with time zone) returns (bigint, character varying, text[], bytea, bytea, timestamp with time zone, text, jsonb, boolean, timestamp with time zone, integer)
update webhooks w
set
  claim = $1,
  claimed_until = $2::timestamptz + interval '60000 milliseconds'
where
  w.is_enabled
  and coalesce(w.claimed_until not between $2 and $2::timestamptz + interval '60000 milliseconds' + interval '1 minute', true)
  and coalesce(w.next_attempt_at not between $2 and $2 + interval '27 hours', true)
  and (
    w.message is not null
    or w.position <> coalesce(
      (
        select
          highest
        from
          change_feed
      ),
      0
    )
  )
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.secret as "secret",
  w.former_secret as "formerSecret",
  w.former_until as "formerUntil",
  w.cursor as "cursor",
  w.message as "message",
  case w.message -> 'subject' ->> 'type'
    when 'article' then exists (
      select
      from
        articles a
      where
        a.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'comment' then exists (
      select
      from
        comments c
        join articles a on a.id = c.article_id
      where
        c.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'member' then exists (
      select
      from
        members m
      where
        m.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'category' then exists (
      select
      from
        categories k
        join members m on m.id = k.member_id
      where
        k.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'series' then exists (
      select
      from
        series s
      where
        s.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    else true
  end as "isPublic",
  w.pending_since as "pendingSince",
  w.failures as "failures";

-- move_cursor_of_webhook
-- (bigint, uuid, timestamp with time zone, text, text, bigint, timestamp with time zone, timestamp with time zone) returns (bigint, character varying, text[], bytea, bytea, timestamp with time zone, text, jsonb, boolean, timestamp with time zone, integer)
update webhooks w
set
  cursor = $5,
  position = $6,
  message = null,
  pending_since = $7,
  next_attempt_at = $8,
  claimed_until = $3::timestamptz + interval '60000 milliseconds'
where
  w.id = $1
  and w.claim = $2
  and w.cursor = $4
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.secret as "secret",
  w.former_secret as "formerSecret",
  w.former_until as "formerUntil",
  w.cursor as "cursor",
  w.message as "message",
  case w.message -> 'subject' ->> 'type'
    when 'article' then exists (
      select
      from
        articles a
      where
        a.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'comment' then exists (
      select
      from
        comments c
        join articles a on a.id = c.article_id
      where
        c.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'member' then exists (
      select
      from
        members m
      where
        m.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'category' then exists (
      select
      from
        categories k
        join members m on m.id = k.member_id
      where
        k.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'series' then exists (
      select
      from
        series s
      where
        s.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    else true
  end as "isPublic",
  w.pending_since as "pendingSince",
  w.failures as "failures";

-- release_webhook
-- (bigint, uuid) returns ()
update webhooks
set
  claim = null,
  claimed_until = null
where
  id = $1
  and claim = $2;

-- replace_sealed_secret
-- (bigint, bytea, bytea) returns ()
update webhooks
set
  secret = $3
where
  id = $1
  and secret = $2;

-- store_webhook_message
-- (bigint, uuid, timestamp with time zone, text, jsonb, timestamp with time zone) returns (bigint, character varying, text[], bytea, bytea, timestamp with time zone, text, jsonb, boolean, timestamp with time zone, integer)
update webhooks w
set
  message = $5::jsonb,
  pending_since = $6,
  claimed_until = $3::timestamptz + interval '60000 milliseconds'
where
  w.id = $1
  and w.claim = $2
  and w.is_enabled
  and w.cursor = $4
  and w.message is null
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.secret as "secret",
  w.former_secret as "formerSecret",
  w.former_until as "formerUntil",
  w.cursor as "cursor",
  w.message as "message",
  case w.message -> 'subject' ->> 'type'
    when 'article' then exists (
      select
      from
        articles a
      where
        a.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'comment' then exists (
      select
      from
        comments c
        join articles a on a.id = c.article_id
      where
        c.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'member' then exists (
      select
      from
        members m
      where
        m.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'category' then exists (
      select
      from
        categories k
        join members m on m.id = k.member_id
      where
        k.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'series' then exists (
      select
      from
        series s
      where
        s.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    else true
  end as "isPublic",
  w.pending_since as "pendingSince",
  w.failures as "failures";

-- target_of_webhook
-- (bigint) returns (character varying, text, bytea, bytea, timestamp with time zone)
select
  url,
  cursor,
  w.secret as "secret",
  w.former_secret as "formerSecret",
  w.former_until as "formerUntil"
from
  webhooks w
where
  id = $1;

-- webhook_delivery_failed
-- (bigint, uuid, text, integer, timestamp with time zone, text) returns (bigint)
update webhooks w
set
  failures = $4,
  next_attempt_at = $5,
  disabled_reason = $6,
  is_enabled = $6::text is null
where
  w.id = $1
  and w.claim = $2
  and w.is_enabled
  and w.message ->> 'id' is not distinct from $3
returning
  w.id;

-- webhook_message_delivered
-- (bigint, uuid, timestamp with time zone, text, timestamp with time zone) returns (bigint, character varying, text[], bytea, bytea, timestamp with time zone, text, jsonb, boolean, timestamp with time zone, integer)
update webhooks w
set
  cursor = message ->> 'cursor',
  position = (message ->> 'position')::bigint,
  message = null,
  pending_since = null,
  next_attempt_at = null,
  last_success_at = $5,
  failures = 0,
  claimed_until = $3::timestamptz + interval '60000 milliseconds'
where
  w.id = $1
  and w.claim = $2
  and w.message ->> 'id' = $4
returning
  w.id as "id",
  w.url as "url",
  w.events as "events",
  w.secret as "secret",
  w.former_secret as "formerSecret",
  w.former_until as "formerUntil",
  w.cursor as "cursor",
  w.message as "message",
  case w.message -> 'subject' ->> 'type'
    when 'article' then exists (
      select
      from
        articles a
      where
        a.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'comment' then exists (
      select
      from
        comments c
        join articles a on a.id = c.article_id
      where
        c.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    when 'member' then exists (
      select
      from
        members m
      where
        m.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'category' then exists (
      select
      from
        categories k
        join members m on m.id = k.member_id
      where
        k.id = (w.message -> 'subject' ->> 'id')::bigint
        and not (
          pending_since is not null
          and email_verified_at is null
        )
    )
    when 'series' then exists (
      select
      from
        series s
      where
        s.id = (w.message -> 'subject' ->> 'id')::bigint
    )
    else true
  end as "isPublic",
  w.pending_since as "pendingSince",
  w.failures as "failures";
