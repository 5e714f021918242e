/** Links with which anyone can read one draft or article until they expire. Only hashes of their tokens are stored. */
import type { Migration } from '../src/platform/database/migration.js';

const links = `
create table share_links (
  token_hash bytea primary key check (length(token_hash) = 32),
  -- The author.
  member_id  bigint not null references members on delete cascade,
  article_id bigint references all_articles on delete cascade,
  draft_id   bigint references drafts on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint share_links_article_key unique (article_id),
  constraint share_links_draft_key unique (draft_id),
  constraint share_links_one_text check (num_nonnulls(article_id, draft_id) = 1)
);
create index share_links_member on share_links (member_id);
create index share_links_expired on share_links (expires_at);
`;

export const migration: Migration = {
  name: '0036-share-links',
  locks: { all_articles: 'share row exclusive', members: 'share row exclusive', drafts: 'share row exclusive' },
  up: [links],
};
