/** Mentions of members in articles and comments (docs/decisions/mentions.md). */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
create table article_mentions (
  article_id  bigint not null references all_articles on delete cascade,
  member_id   bigint not null references members on delete cascade,
  -- The names with which the content mentions the member; empty after an edit that removed them.
  names       text[] not null,
  -- Whether the member was notified, or the article was public: a mention notifies once.
  is_notified boolean not null default false,
  primary key (article_id, member_id)
);
create index article_mentions_member on article_mentions (member_id);

create table comment_mentions (
  comment_id bigint not null references comments on delete cascade,
  member_id  bigint not null references members on delete cascade,
  primary key (comment_id, member_id)
);
create index comment_mentions_member on comment_mentions (member_id);

-- Names belong to one content: a command that knows them writes those of the new one in the same transaction.
create function article_mentions_removed() returns trigger language plpgsql as $$
begin
  update article_mentions set names = '{}' where article_id = new.id and names <> '{}';
  return null;
end $$;
create trigger article_mentions_removed after update on all_articles for each row
  when (old.content is distinct from new.content) execute function article_mentions_removed();
`;

const types = "('COMMENT', 'REPLY', 'SUMMARY', 'PUBLICATION', 'LIKE', 'FOLLOW', 'ARTICLE', 'MENTION', 'MODERATION')";

/** Existing rows satisfy the constraints, which are not checked for them. */
const notifications = `
alter table notifications
  drop constraint notifications_type_check,
  add constraint notifications_type_check check (type in ${types}) not valid;
alter table notification_settings
  drop constraint notification_settings_type_check,
  add constraint notification_settings_type_check check (type in ${types}) not valid;
`;

export const migration: Migration = {
  name: '0048-mentions',
  locks: {
    all_articles: 'share row exclusive',
    members: 'share row exclusive',
    comments: 'share row exclusive',
    notifications: 'access exclusive',
    notification_settings: 'access exclusive',
  },
  up: [tables, notifications],
  indexes: [
    "create index notifications_mentions on notifications (member_id, actor_id, created_at) where type = 'MENTION'",
  ],
};
