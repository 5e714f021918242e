/** The spam model: counters of hashed n-grams, and the decisions that have not been learned yet (docs/decisions/spam-score.md). */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table spam_model (
  is_only boolean primary key default true check (is_only),
  version bigint not null,
  -- Numbers of texts.
  spam    integer not null check (spam >= 0),
  other   integer not null check (other >= 0),
  -- 16 bits for each bucket and class.
  counts  bytea not null
);
-- Texts are deleted as soon as the model has learned them.
create table spam_labels (
  id         bigint generated always as identity primary key,
  content    varchar(1000) not null,
  is_spam    boolean not null,
  -- Who wrote it.
  member_id  bigint references members on delete cascade,
  decided_by bigint not null references members on delete cascade
);
create index spam_labels_member on spam_labels (member_id);
create index spam_labels_decider on spam_labels (decided_by);
create table spam_deciders (
  member_id bigint primary key references members on delete cascade,
  decisions integer not null
);
`;

export const migration: Migration = {
  name: '0047-spam',
  locks: { members: 'share row exclusive' },
  up: [tables],
};
