/**
 * Articles and comments that a moderator has removed (docs/decisions/removal.md). A removed article is private, so that no public statement, counter or
 * index contains it; the content of a removed comment is masked when it is read (src/models/comment/comment.ts).
 */
import type { Migration } from '../src/platform/database/migration.js';

const columns = `
alter table all_articles
  add column removed_at      timestamptz(3),
  -- Whether the restoration of a removed article makes it public.
  add column restores_public boolean not null default false,
  add constraint articles_removed_check check (removed_at is null or is_private) not valid;
create or replace view articles as select * from all_articles where not is_private;

alter table comments add column removed_at timestamptz(3);
-- A comment that waits for approval is never removed: the columns of both tables are the same.
alter table held_comments add column removed_at timestamptz(3);
create or replace view all_comments as
  select null::timestamptz(3) as held_at, null::real as spam_score, c.* from comments c
  union all select * from held_comments;

create trigger comment_removed after update on comments
  for each row when (old.removed_at is distinct from new.removed_at) execute function comment_reworded();
`;

export const migration: Migration = {
  name: '0051-removal',
  // The views with their tables, in the order in which statements that name them lock them.
  locks: {
    articles: 'access exclusive',
    all_articles: 'access exclusive',
    comments: 'access exclusive',
    held_comments: 'access exclusive',
    all_comments: 'access exclusive',
  },
  up: [columns],
  // For the deletion of what was not restored.
  indexes: [
    'create index articles_removed on all_articles (removed_at, id) where removed_at is not null',
    'create index comments_removed on comments (removed_at, id) where removed_at is not null',
  ],
};
