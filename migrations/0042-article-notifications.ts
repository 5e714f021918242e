/** Notifications of followers about new articles (docs/decisions/notifications.md). */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
-- Articles whose followers are being notified: the row is deleted after the last batch, and with the visibility.
create table announcements (
  article_id bigint primary key references all_articles on delete cascade,
  -- The last follower of the previous batch.
  follower_id bigint not null default 0
);

-- The number of articles of the member that were announced on this day (UTC).
alter table member_counts
  add column announced integer not null default 0,
  add column announced_on date;
`;

const functions = `
create function announcement_ended() returns trigger language plpgsql as $$
begin
  delete from announcements where article_id = new.id;
  return null;
end $$;
create trigger announcement_ended after update of is_private on all_articles
  for each row when (new.is_private and not old.is_private) execute function announcement_ended();

-- Many members are announced in messages with up to 300 ids, which are below the 8,000 bytes of a message. Processes of the previous version
-- read messages with one id; they find the others when they poll.
create or replace function notifications_announced() returns trigger language plpgsql as $$
begin
  delete from notifications n using inserted i join all_articles a on a.id = i.article_id
  where n.id = i.id and a.is_private and a.member_id <> n.member_id;
  if (select count(*) from inserted) <= 10 then
    perform pg_notify('daybook_notifications', member_id::text) from (select distinct member_id from inserted) n;
  else
    perform pg_notify('daybook_notifications', string_agg(member_id::text, ','))
    from (select member_id, row_number() over () as number from (select distinct member_id from inserted) d) n
    group by number / 300;
  end if;
  return null;
end $$;
`;

export const migration: Migration = {
  name: '0042-article-notifications',
  locks: { all_articles: 'share row exclusive', member_counts: 'access exclusive' },
  up: [tables, functions],
  // A member is notified of an article once.
  indexes: [
    "create unique index notifications_article_key on notifications (article_id, member_id) where type = 'ARTICLE'",
  ],
};
