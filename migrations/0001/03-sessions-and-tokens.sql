-- What members log in with, and the credentials that a login gives. Only hashes of tokens are stored.

-- One row for each login, until it ends. Each refresh replaces the token (docs/decisions/sessions.md).
create table sessions (
  id            uuid primary key default gen_random_uuid(),
  member_id     bigint not null references members on delete cascade,
  refresh_hash  bytea not null check (length(refresh_hash) = 32),
  -- The token that was replaced last: its use within a short time is a repeated request, and later a theft.
  previous_hash bytea check (length(previous_hash) = 32),
  -- The number of refreshes.
  generation    integer not null default 0,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  issued_at     timestamptz(3) not null default now(),
  rotated_at    timestamptz(3),
  last_used_at  timestamptz(3) not null default now(),
  address       text not null default '',
  device        text not null default ''
);
create index sessions_member on sessions (member_id);

-- NOTIFY with the member id as payload: every process ends the streams of the session or token.
create function sessions_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('daybook_sessions', member_id::text) from (select distinct member_id from removed) n;
  return null;
end $$;
create trigger sessions_ended after delete on sessions
  referencing old table as removed for each statement execute function sessions_ended();

-- Long-lived credentials of programs, each with its scopes. Without an expiry, a token is valid until it is deleted. Its last use is updated in
-- place (HOT), since no index contains it.
create table api_tokens (
  id           uuid primary key,
  member_id    bigint not null references members on delete cascade,
  token_hash   bytea not null unique check (length(token_hash) = 32),
  name         varchar(50) not null,
  scopes       text[] not null check (cardinality(scopes) > 0),
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3),
  last_used_at timestamptz(3)
) with (fillfactor = 80);
create index api_tokens_member on api_tokens (member_id);
create trigger api_tokens_ended after delete on api_tokens
  referencing old table as removed for each statement execute function sessions_ended();

-- Passkeys (WebAuthn, docs/decisions/passkeys.md).
create table passkeys (
  id                 bigint generated always as identity primary key,
  member_id          bigint not null references members on delete cascade,
  name               varchar(30) not null,
  credential_id      bytea not null unique check (length(credential_id) between 1 and 1023),
  -- A COSE key.
  public_key         bytea not null check (length(public_key) between 1 and 2048),
  counter            bigint not null check (counter between 0 and 4294967295),
  transports         text[] not null,
  is_backup_eligible boolean not null,
  is_backed_up       boolean not null check (is_backup_eligible or not is_backed_up),
  created_at         timestamptz(3) not null default now(),
  last_used_at       timestamptz(3)
);
create index passkeys_member on passkeys (member_id, id);

-- Challenges of passkeys are signed and not stored until their use, which is recorded until they expire.
create table used_challenges (
  signature  bytea primary key check (length(signature) = 32),
  expires_at timestamptz(3) not null
);
create index used_challenges_expires_at on used_challenges (expires_at);

-- Logins with other providers (OpenID Connect): the account there that belongs to a member.
create table social_links (
  id         bigint generated always as identity primary key,
  member_id  bigint not null references members on delete cascade,
  provider   varchar(30) not null,
  subject    varchar(255) not null,
  email      varchar(254),
  created_at timestamptz(3) not null default now(),
  constraint social_links_subject_key unique (provider, subject),
  constraint social_links_member_key unique (member_id, provider)
);

-- Links for passwords and addresses. `email` is the address that a link confirms, or restores, or to which a link for a new password was sent.
create table one_time_tokens (
  id            bigint generated always as identity primary key,
  token_hash    bytea not null check (length(token_hash) = 32),
  member_id     bigint not null references members on delete cascade,
  purpose       text not null check (purpose in ('reset', 'confirm', 'change', 'undo')),
  email         varchar(254) check (email is not null or purpose = 'reset'),
  -- Whether the address was confirmed when the link that restores it was created.
  was_confirmed boolean not null default true,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  constraint one_time_tokens_hash_key unique (token_hash)
);
create unique index one_time_tokens_newest_key on one_time_tokens (member_id, purpose) where purpose <> 'undo';
create index one_time_tokens_member on one_time_tokens (member_id);
create index one_time_tokens_address on one_time_tokens (lower(email::text collate "C")) where purpose in ('change', 'undo');
create index one_time_tokens_expired on one_time_tokens (expires_at);

-- An address that a link can restore is not available to other members, so that the link works.
create function email_reserved() returns trigger language plpgsql as $$
begin
  if exists (select from one_time_tokens
             where purpose = 'undo' and lower(email::text collate "C") = lower(new.email::text collate "C")
               and member_id <> new.id and expires_at > now()) then
    raise unique_violation using constraint = 'members_email_key', message = 'the email is reserved';
  end if;
  return new;
end $$;
create trigger email_reserved before insert or update of email on members
  for each row when (new.email is not null) execute function email_reserved();

-- Requests for links, whether or not the address has an account, until a job has handled them.
create table link_requests (
  id         uuid primary key default gen_random_uuid(),
  purpose    text not null check (purpose in ('reset', 'confirm')),
  email      varchar(254) not null,
  address    text not null,
  device     text not null,
  created_at timestamptz(3) not null default now()
);

-- For a registration while it is closed to others.
create table invitations (
  token_hash bytea primary key check (length(token_hash) = 32),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);

-- The audit trail of a member. A row without a member is a login attempt for an account that does not exist.
create table security_events (
  id         bigint generated always as identity primary key,
  member_id  bigint references members on delete cascade,
  kind       varchar(30) not null,
  provider   varchar(30),
  session_id uuid,
  address    text not null,
  device     text not null,
  created_at timestamptz(3) not null default now()
);
create index security_events_member on security_events (member_id, id);
create index security_events_nobody on security_events (created_at) where member_id is null;
create index security_events_kind on security_events (member_id, kind, id) where member_id is not null;

-- The newest 1,000 events of each kind stay. By kind, so that failed logins, which any client can cause, displace only older failed logins. At most
-- ten rows are removed for each one that is added, which bounds the work of a login.
create function security_event_trimmed() returns trigger language plpgsql as $$
begin
  delete from security_events where id = any(array(
    select id from security_events where id = any(array(
      select id from security_events where member_id = new.member_id and kind = new.kind
      order by id desc offset 1000 limit 10
    )) for update skip locked
  ));
  return null;
end $$;
create trigger security_event_trimmed after insert on security_events
  for each row when (new.member_id is not null) execute function security_event_trimmed();
