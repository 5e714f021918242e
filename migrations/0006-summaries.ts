/** Summaries of articles: the status of each, and stored model responses, so that an identical request is not paid for again. */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
-- A separate table, so that changes of status do not rewrite the article's row. No row: never requested.
create table article_summaries (
  article_id bigint primary key references articles on delete cascade,
  -- Incremented by each request: a result for an earlier revision is discarded.
  revision   integer not null default 1,
  status     text not null default 'PENDING' check (status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  tags       text[] not null default '{}' check (cardinality(tags) <= 5)
);

-- The latest cached responses for each article, by a hash of text, model and prompt. Deleted with the article, since they
-- disclose its content.
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
  locks: { articles: 'share row exclusive' },
  up: [tables],
};
