/** Likes, bookmarks and follows, with their counters, stamps and notifications (docs/decisions/reactions.md). */
import type { Migration } from '../src/platform/database/migration.js';
import { counters } from './0038-reactions/counters.js';
import { notificationIndexes, notifications } from './0038-reactions/notifications.js';

const tables = `
create table article_likes (
  article_id bigint not null references all_articles on delete cascade,
  member_id  bigint not null references members on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (article_id, member_id)
);
create index article_likes_member on article_likes (member_id, created_at, article_id);

create table bookmarks (
  member_id  bigint not null references members on delete cascade,
  article_id bigint not null references all_articles on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (member_id, article_id)
);
create index bookmarks_newest on bookmarks (member_id, created_at, article_id);
create index bookmarks_article on bookmarks (article_id);

create table follows (
  follower_id bigint not null references members on delete cascade,
  member_id   bigint not null references members on delete cascade,
  created_at  timestamptz(3) not null default now(),
  primary key (follower_id, member_id),
  constraint follows_not_oneself check (follower_id <> member_id)
);
create index follows_newest on follows (follower_id, created_at, member_id);
-- Followers of a member, in an order that batches can continue.
create index follows_followers on follows (member_id, follower_id);
`;

export const migration: Migration = {
  name: '0038-reactions',
  locks: {
    all_articles: 'share row exclusive',
    members: 'share row exclusive',
    member_counts: 'access exclusive',
    journal_stamps: 'access exclusive',
    notifications: 'access exclusive',
    notification_settings: 'access exclusive',
  },
  up: [tables, counters, notifications],
  indexes: notificationIndexes,
};
