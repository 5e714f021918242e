/** Responses that are stored under an Idempotency-Key, and the revisions of comments. */
import type { Migration } from '../src/platform/database/migration.js';

/**
 * The foreign key is checked at commit: earlier, it would lock the row of the member with each key, and two requests that change the
 * member afterwards would wait for each other.
 */
const keys = `
create table idempotency_keys (
  -- An HMAC of the key and of the member or network that it belongs to.
  id          bytea primary key check (length(id) = 32),
  member_id   bigint references members on delete cascade deferrable initially deferred,
  -- An HMAC of the operation and its input.
  fingerprint bytea not null check (length(fingerprint) = 32),
  status      smallint,
  headers     jsonb,
  body        text,
  created_at  timestamptz not null default now()
);
create index idempotency_keys_member on idempotency_keys (member_id);
create index idempotency_keys_created_at on idempotency_keys (created_at);
`;

/** The revision of an article is its version. */
const revisions = 'alter table comments add column revision integer not null default 1';

export const migration: Migration = {
  name: '0015-idempotency',
  locks: { comments: 'access exclusive', members: 'share row exclusive' },
  up: [keys, revisions],
};
