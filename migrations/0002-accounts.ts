/** Accounts: refresh token rotation of sessions, social links, the audit trail, and rate limit counters. */
import type { Migration } from '../src/platform/database/migration.js';

const sessions = `
alter table sessions
  add column generation    integer not null default 0,
  add column previous_hash bytea check (length(previous_hash) = 32),
  add column issued_at     timestamptz(3) not null default now(),
  add column rotated_at    timestamptz(3),
  add column last_used_at  timestamptz(3) not null default now(),
  add column address       text not null default '',
  add column device        text not null default '';
`;

const socialLinks = `
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
`;

/** A row without a member is a login attempt for an account that does not exist. */
const events = `
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
`;

/** Table layout of rate-limiter-flexible. Unlogged: updates write no WAL, and a crash of the database empties the table. */
const limits = `
create unlogged table rate_limits (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index rate_limits_expire on rate_limits (expire);
`;

export const migration: Migration = {
  name: '0002-accounts',
  locks: { sessions: 'access exclusive', members: 'share row exclusive' },
  up: [sessions, socialLinks, events, limits],
};
