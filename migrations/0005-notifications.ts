/** Notifications of members, their settings, and counters that triggers update. */
import type { Migration } from '../src/platform/database/migration.js';

/** A row contains the data of a notification, not its text: the text is generated in the reader's language when it is read. */
const tables = `
create table notifications (
  id         bigint primary key,
  member_id  bigint not null references members on delete cascade,
  type       varchar(20) not null check (type in ('COMMENT', 'REPLY', 'SUMMARY')),
  article_id bigint not null references articles on delete cascade,
  comment_id bigint references comments on delete set null,
  actor_id   bigint references members on delete set null,
  outcome    varchar(20) check (outcome in ('COMPLETED', 'FAILED')),
  read_at    timestamptz(3),
  created_at timestamptz(3) not null,
  check ((type = 'SUMMARY') = (outcome is not null))
);
create sequence notification_ids owned by notifications.id;
create index notifications_member on notifications (member_id, id);
create index notifications_unread on notifications (member_id, id) where read_at is null;
create index notifications_article on notifications (article_id);
create index notifications_actor on notifications (actor_id) where actor_id is not null;
-- At most one notification per member and comment.
create unique index notifications_comment_key on notifications (comment_id, member_id) where comment_id is not null;

-- A type without a row is enabled.
create table notification_settings (
  member_id bigint not null references members on delete cascade,
  type      varchar(20) not null check (type in ('COMMENT', 'REPLY', 'SUMMARY')),
  enabled   boolean not null,
  primary key (member_id, type)
);
`;

/**
 * Not columns of member_counts: the recipients of a notification about a comment are determined after the counters of its author
 * are locked, so a single lock order for both is not possible. Locks are taken in the order notification, notification_counts by
 * member id; a new notification is not visible to other transactions, so its position in that order does not matter.
 *
 * A notification gets its id while the counter row of its member is locked until the commit: the ids of one member become visible
 * in ascending order. A reader that has reached one id never misses a lower one.
 */
const counters = `
create table notification_counts (
  member_id bigint primary key references members on delete cascade,
  total     integer not null default 0 check (total >= 0),
  unread    integer not null default 0 check (unread >= 0)
) with (fillfactor = 50);
insert into notification_counts (member_id) select id from members;

create function members_inserted_for_notifications() returns trigger language plpgsql as $$
begin
  insert into notification_counts (member_id) select id from inserted;
  return null;
end $$;
create trigger members_inserted_for_notifications after insert on members
  referencing new table as inserted for each statement execute function members_inserted_for_notifications();

create function notification_numbered() returns trigger language plpgsql as $$
begin
  update notification_counts set total = total + 1, unread = unread + (new.read_at is null)::int
  where member_id = new.member_id;
  new.id := nextval('notification_ids');
  new.created_at := coalesce(new.created_at, clock_timestamp());
  return new;
end $$;
create trigger notification_numbered before insert on notifications
  for each row execute function notification_numbered();

create function notifications_marked() returns trigger language plpgsql as $$
begin
  update notification_counts c set unread = c.unread + n.change
  from (select a.member_id, sum((a.read_at is null)::int - (b.read_at is null)::int) as change
        from after_change a join before_change b using (id) group by 1) n
  where c.member_id = n.member_id and n.change <> 0;
  return null;
end $$;
create trigger notifications_marked after update on notifications
  referencing old table as before_change new table as after_change
  for each statement execute function notifications_marked();

create function notifications_removed() returns trigger language plpgsql as $$
begin
  perform from notification_counts where member_id in (select member_id from removed)
  order by member_id for no key update;
  update notification_counts c set total = c.total - n.total, unread = c.unread - n.unread
  from (select member_id, count(*) as total, count(*) filter (where read_at is null) as unread from removed group by 1) n
  where c.member_id = n.member_id;
  return null;
end $$;
create trigger notifications_removed after delete on notifications
  referencing old table as removed for each statement execute function notifications_removed();
`;

/** Deleting a comment deletes its unread notifications; read ones remain, and then refer to the article only. */
const deletions = `
create function notification_without_comment() returns trigger language plpgsql as $$
begin
  delete from notifications where id = new.id;
  return null;
end $$;
create trigger notification_without_comment after update of comment_id on notifications
  for each row when (old.comment_id is not null and new.comment_id is null and new.read_at is null)
  execute function notification_without_comment();

create function comment_emptied_for_notifications() returns trigger language plpgsql as $$
begin
  update notifications set comment_id = null where comment_id = new.id;
  return null;
end $$;
create trigger comment_emptied_for_notifications after update of deleted_at on comments
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function comment_emptied_for_notifications();
`;

/** NOTIFY with the member id as payload, delivered at commit. It only triggers a read: the rows are authoritative. */
const wakings = `
create function notifications_announced() returns trigger language plpgsql as $$
begin
  perform pg_notify('daybook_notifications', member_id::text) from (select distinct member_id from inserted) n;
  return null;
end $$;
create trigger notifications_announced after insert on notifications
  referencing new table as inserted for each statement execute function notifications_announced();

create function sessions_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('daybook_sessions', member_id::text) from (select distinct member_id from removed) n;
  return null;
end $$;
create trigger sessions_ended after delete on sessions
  referencing old table as removed for each statement execute function sessions_ended();
`;

export const migration: Migration = {
  name: '0005-notifications',
  locks: {
    comments: 'share row exclusive',
    articles: 'share row exclusive',
    sessions: 'share row exclusive',
    members: 'share row exclusive',
  },
  up: [tables, counters, deletions, wakings],
};
