/** E-mails that wait to be sent, and the language of each member. */
import type { Migration } from '../src/platform/database/migration.js';

const language = `
alter table members add column language text not null default 'en' check (language ~ '^[a-z]{2}$');
`;

/** A row exists from the change that causes the e-mail until it is sent or given up; its job has only the key. */
const mails = `
create table mails (
  message_id text primary key,
  member_id bigint not null references members on delete cascade,
  address text not null,
  language text not null,
  template text not null,
  parameters jsonb not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index mails_member on mails (member_id);
`;

export const migration: Migration = {
  name: '0018-mail',
  locks: { members: 'access exclusive' },
  up: [language, mails],
};
