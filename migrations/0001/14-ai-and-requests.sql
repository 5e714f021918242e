-- Summaries and styles of texts by AI, stored responses of requests, limits, and records of imports. The tables of jobs are those of graphile-worker.

-- The status of the summary of an article. A separate table, so that changes of status do not rewrite the article's row. No row: never requested.
create table article_summaries (
  article_id bigint primary key references all_articles on delete cascade,
  -- Incremented by each request: a result for an earlier revision is discarded.
  revision   integer not null default 1,
  status     text not null default 'PENDING' check (status in ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED')),
  tags       text[] not null default '{}' check (cardinality(tags) <= 5),
  -- The stamp.
  changed_at timestamptz not null default now(),
  -- Who requested it, and the round in which it is processed, so that the queue is fair to its members (docs/decisions/summaries.md).
  member_id  bigint,
  round      integer not null default 0
);
create index article_summaries_round on article_summaries (round) where status in ('PENDING', 'PROCESSING');
create index article_summaries_member_round on article_summaries (member_id, round)
   where status in ('PENDING', 'PROCESSING');

create function summary_stamped() returns trigger language plpgsql as $$
begin
  new.changed_at := case tg_op when 'INSERT' then clock_timestamp() else stamp_after(old.changed_at) end;
  return new;
end $$;
create trigger summary_stamped before insert or update on article_summaries
  for each row execute function summary_stamped();

-- The latest cached responses for each article, by a hash of text, model and prompt, so that an identical request is not paid for again. Deleted with
-- the article, since they disclose its content.
create table summary_answers (
  key        bytea not null check (length(key) = 32),
  article_id bigint not null references all_articles on delete cascade,
  summary    text not null,
  tags       text[] not null,
  created_at timestamptz(3) not null default now(),
  primary key (key, article_id)
);
create index summary_answers_article on summary_answers (article_id, created_at desc);

-- Instructions of members for the writing style of their texts, in free text.
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

-- Responses that are stored under an Idempotency-Key. The foreign key is checked at commit: earlier, it would lock the row of the member with each
-- key, and two requests that change the member afterwards would wait for each other.
create table idempotency_keys (
  -- An HMAC of the key and of the member or network that it belongs to.
  id          bytea primary key check (length(id) = 32),
  member_id   bigint references members on delete cascade deferrable initially deferred,
  -- An HMAC of the operation and its input.
  fingerprint bytea not null check (length(fingerprint) = 32),
  status      smallint,
  headers     jsonb,
  body        text,
  -- What the response shows of other members, so that it is not sent again after they have removed it.
  shown       jsonb,
  created_at  timestamptz not null default now()
);
create index idempotency_keys_member on idempotency_keys (member_id);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Table layout of rate-limiter-flexible. Unlogged: updates write no WAL, and a crash of the database empties the table.
create unlogged table rate_limits (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create index rate_limits_expire on rate_limits (expire);

-- Records of earlier imports: the key of the source record, and the row created from it, so that a repeated import does not add it again. An image is
-- a picture of another host that an import has stored.
create table imported_records (
  source   text not null,
  kind     text not null check (kind in ('member', 'article', 'draft', 'comment', 'image', 'series')),
  key      text not null,
  row_id   bigint not null,
  -- Of an article: the revision that the import wrote, so that `import --update` leaves articles that were edited since.
  revision integer not null default 1,
  primary key (source, kind, key)
);
-- For the withdrawal, which deletes the records of the member.
create index imported_records_member on imported_records (row_id) where kind = 'member';
