/** Custom styles: instructions of members for the writing style of their texts, in free text. */
import type { Migration } from '../src/platform/database/migration.js';

const customStyles = `
create table custom_styles (
  id          bigint generated always as identity primary key,
  member_id   bigint not null references members on delete cascade,
  name        varchar(20) not null check (length(name) >= 1),
  role        varchar(100) not null check (length(role) >= 1),
  instruction varchar(1000) not null check (length(instruction) >= 1),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now()
);
create unique index custom_styles_name_key on custom_styles (member_id, lower(name));
`;

export const migration: Migration = {
  name: '0007-custom-styles',
  locks: { members: 'share row exclusive' },
  up: [customStyles],
};
