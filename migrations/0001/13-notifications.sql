-- Notifications of members, mentions, announcements of new articles, and e-mails (docs/decisions/notifications.md).

-- A row contains the data of a notification, not its text: the text is generated in the reader's language when it is read. A notification is about an
-- article, a draft or a decision; one of a follower is about the actor only. Its members and its article have no foreign keys: see member_id_required and
-- article_id_required.
create table notifications (
  id          bigint primary key,
  member_id   bigint not null,
  type        varchar(20) not null check (type in
    ('COMMENT', 'REPLY', 'SUMMARY', 'PUBLICATION', 'LIKE', 'FOLLOW', 'ARTICLE', 'MENTION', 'MODERATION')),
  article_id  bigint,
  comment_id  bigint references comments on delete set null,
  draft_id    bigint references drafts on delete cascade,
  decision_id bigint references decisions on delete cascade,
  actor_id    bigint,
  outcome     varchar(20) check (outcome in ('COMPLETED', 'FAILED')),
  read_at     timestamptz(3),
  created_at  timestamptz(3) not null,
  check ((type = 'SUMMARY') = (outcome is not null)),
  constraint notifications_subject_check check (num_nonnulls(article_id, draft_id, decision_id) = (type <> 'FOLLOW')::integer)
);
create sequence notification_ids owned by notifications.id;
create index notifications_member on notifications (member_id, id);
create index notifications_unread on notifications (member_id, id) where read_at is null;
create index notifications_article on notifications (article_id, member_id);
create index notifications_draft on notifications (draft_id) where draft_id is not null;
create index notifications_decision on notifications (decision_id) where decision_id is not null;
create index notifications_actor on notifications (actor_id) where actor_id is not null;
-- At most one notification per member and comment.
create unique index notifications_comment_key on notifications (comment_id, member_id) where comment_id is not null;
-- An article has at most one notification of likes, and notifies a follower once.
create unique index notifications_like_key on notifications (article_id) where type = 'LIKE';
create unique index notifications_article_key on notifications (article_id, member_id) where type = 'ARTICLE';
create unique index notifications_follow_key on notifications (member_id, actor_id) where type = 'FOLLOW';
-- For the limit of mentions by one member.
create index notifications_mentions on notifications (member_id, actor_id, created_at) where type = 'MENTION';
create trigger account_exists after insert on notifications
  referencing new table as changed for each statement execute function member_id_required();
create trigger actor_exists after insert on notifications
  referencing new table as changed for each statement execute function actor_id_required();
create trigger article_exists after insert on notifications
  referencing new table as changed for each statement execute function article_id_required();

-- Counters. Not columns of member_counts, which are locked after them (docs/decisions/lock-order.md). Locks are taken in the order notification,
-- notification_counts by member id; a new notification is not visible to other transactions, so its position in that order does not matter.
create table notification_counts (
  member_id         bigint primary key references members on delete cascade,
  total             integer not null default 0 check (total >= 0),
  unread            integer not null default 0 check (unread >= 0),
  -- The id of the newest notification in an e-mail of each setting, and the UTC day of the last digest.
  at_once_mailed_id bigint not null default 0,
  daily_mailed_id   bigint not null default 0,
  digest_on         date
) with (fillfactor = 50);

create function members_inserted_for_notifications() returns trigger language plpgsql as $$
begin
  insert into notification_counts (member_id) select id from inserted;
  return null;
end $$;
create trigger members_inserted_for_notifications after insert on members
  referencing new table as inserted for each statement execute function members_inserted_for_notifications();

-- A notification gets its id while the counter row of its member is locked until the commit: the ids of one member become visible in ascending order.
-- A reader that has reached one id never misses a lower one.
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

-- NOTIFY with member ids as payload, delivered at commit. It only triggers a read: the rows are authoritative. Many members are announced in messages
-- with up to 300 ids, which are below the 8,000 bytes of a message. A comment whose statement waited for a change of the article to private has
-- notified members by what it read before. Its own triggers have locked the article, so that this one reads the current state.
create function notifications_announced() returns trigger language plpgsql as $$
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
create trigger notifications_announced after insert on notifications
  referencing new table as inserted for each statement execute function notifications_announced();

-- Deleting a comment deletes its unread notifications; read ones remain, and then refer to the article only.
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

-- A type without a row is enabled, and sends no e-mails.
create table notification_settings (
  member_id bigint not null references members on delete cascade,
  type      varchar(20) not null check (type in
    ('COMMENT', 'REPLY', 'SUMMARY', 'PUBLICATION', 'LIKE', 'FOLLOW', 'ARTICLE', 'MENTION', 'MODERATION')),
  enabled   boolean not null,
  email     text not null default 'OFF' check (email in ('OFF', 'AT_ONCE', 'DAILY')),
  primary key (member_id, type)
);
create index notification_settings_daily on notification_settings (member_id) where email = 'DAILY';

-- Articles whose followers are being notified: the row is deleted after the last batch, and with the visibility.
create table announcements (
  article_id  bigint primary key references all_articles on delete cascade,
  -- The last follower of the previous batch.
  follower_id bigint not null default 0
);

create function announcement_ended() returns trigger language plpgsql as $$
begin
  delete from announcements where article_id = new.id;
  return null;
end $$;
create trigger announcement_ended after update of is_private on all_articles
  for each row when (new.is_private and not old.is_private) execute function announcement_ended();

-- Mentions of members (docs/decisions/mentions.md).

-- Who is mentioned in an article.
create table article_mentions (
  article_id  bigint not null references all_articles on delete cascade,
  member_id   bigint not null,
  -- The names with which the content mentions the member; empty after an edit that removed them.
  names       text[] not null,
  -- Whether the member was notified, or the article was public: a mention notifies once.
  is_notified boolean not null default false,
  primary key (article_id, member_id)
);
create index article_mentions_member on article_mentions (member_id);
create trigger account_exists after insert on article_mentions
  referencing new table as changed for each statement execute function member_id_required();

-- Names belong to one content: a command that knows them writes those of the new one in the same transaction.
create function article_mentions_removed() returns trigger language plpgsql as $$
begin
  update article_mentions set names = '{}' where article_id = new.id and names <> '{}';
  return null;
end $$;
create trigger article_mentions_removed after update on all_articles for each row
  when (old.content is distinct from new.content) execute function article_mentions_removed();

-- Who is mentioned in a comment.
create table comment_mentions (
  comment_id bigint not null references comments on delete cascade,
  member_id  bigint not null,
  primary key (comment_id, member_id)
);
create index comment_mentions_member on comment_mentions (member_id);
create trigger account_exists after insert on comment_mentions
  referencing new table as changed for each statement execute function member_id_required();

-- E-mails that wait to be sent. A row exists from the change that causes the e-mail until it is sent or given up; its job has only the key.
create table mails (
  message_id text primary key,
  member_id  bigint not null references members on delete cascade,
  address    text not null,
  language   text not null,
  template   text not null,
  parameters jsonb not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null
);
create index mails_member on mails (member_id);
