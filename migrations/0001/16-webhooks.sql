-- Webhooks: each follows the feed of changes with a cursor, and stores one message until it is delivered (docs/decisions/webhooks.md).

-- At most 20. A claim prevents two processes from delivering the same message.
create table webhooks (
  id              bigint generated always as identity primary key,
  url             varchar(2000) not null,
  events          text[] not null check (cardinality(events) > 0),
  -- Encrypted (src/services/webhooks/secret.ts).
  secret          bytea not null,
  -- The secret before the last rotation, which signs too until this time.
  former_secret   bytea,
  former_until    timestamptz(3),
  is_enabled      boolean not null default true,
  disabled_reason text check (disabled_reason in ('failed', 'gone', 'secret', 'expired', 'restored')),
  -- What was delivered, and the position in the cursor, to compare with the highest number of the feed.
  cursor          text not null,
  position        bigint not null,
  -- The message to deliver next, with its id and bytes. Null: it is made from the feed.
  message         jsonb,
  -- Time of the first change that waits; null if the feed has not been read for it.
  pending_since   timestamptz(3),
  next_attempt_at timestamptz(3),
  last_success_at timestamptz(3),
  -- Attempts since the last success.
  failures        integer not null default 0,
  -- Of the process that delivers.
  claim           uuid,
  claimed_until   timestamptz(3),
  created_at      timestamptz(3) not null default now(),
  check (not is_enabled or disabled_reason is null)
) with (fillfactor = 50);

-- The latest 200 of each webhook.
create table webhook_attempts (
  id           bigint generated always as identity primary key,
  webhook_id   bigint not null references webhooks on delete cascade,
  message_id   text not null,
  event        text not null,
  -- The feed after the message.
  cursor       text not null,
  attempted_at timestamptz(3) not null,
  status       integer,
  error        text,
  duration_ms  integer not null,
  response     varchar(200) not null
);
create index webhook_attempts_webhook on webhook_attempts (webhook_id, id);

-- Time of the first change after a position in the feed that a webhook with these events receives. In each type, numbers have the order of the times.
create function pending_change_since(wanted text[], place bigint) returns timestamptz language sql stable as $$
  select min(p.at) from unnest(array['article', 'comment', 'member', 'category', 'series']) t (type) cross join lateral (
    (select created_at as at from changes c
     where c.type = t.type and c.created_number > place and not c.is_removed and wanted && array['changes', t.type || '.created']
     order by c.created_number limit 1)
    union all
    (select changed_at from changes c where c.type = t.type and c.number > place
       and wanted && array['changes', t.type || case when c.is_removed then '.removed' else '.updated' end]
     order by c.number limit 1)
    union all
    (select comments_at from changes c
     where t.type = 'comment' and c.comments_number > place and not c.is_removed and wanted && array['changes', 'comment.updated']
     order by c.comments_number limit 1)
  ) p
$$;
