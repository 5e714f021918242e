/** Summaries of articles: the status of each, and stored model responses, so that an identical request is not paid for again. */
import type { Migration } from '../src/database/migration.js';

const tables = `
-- Beside the article, whose own row would otherwise be written anew with each step. No row: nobody has asked for one.
create table article_summaries (
  article_id bigint primary key references articles on delete cascade,
  -- Goes up whenever a summary is asked for: an answer to an earlier question does not count.
  revision   integer not null default 1,
  status     text not null default 'PENDING' check (status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  tags       text[] not null default '{}' check (cardinality(tags) <= 5)
);

-- Of each article its last answers, by a hash of the text, the model and the prompt. They go with the article, since they
-- tell what it said.
create table summary_answers (
  key        bytea not null check (length(key) = 32),
  article_id bigint not null references articles on delete cascade,
  summary    text not null,
  tags       text[] not null,
  created_at timestamptz(3) not null default now(),
  primary key (key, article_id)
);
create index summary_answers_article on summary_answers (article_id, created_at desc);
`;

export const migration: Migration = {
  name: '0006-summaries',
  up: [tables],
};
