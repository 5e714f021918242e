/** What readers have of an article that ends is deleted in batches, if it is much (docs/decisions/reactions.md). */
import type { Migration } from '../src/platform/database/migration.js';

/** Rows that the transaction of the change deletes itself. */
const MOST = 1_000;

const table = `
-- Articles that were deleted, or became private, and whose likes and bookmarks (of deleted ones) and notifications of followers a job deletes.
create table ended_articles (
  article_id bigint primary key,
  -- The last notification at that time: those of a private article that becomes public again stay.
  notification_id bigint not null
);
`;

/**
 * Likes, bookmarks and notifications can outlive their article for some seconds. In place of the foreign keys, which would delete all of them with the
 * article, a trigger rejects rows of articles that do not exist, with the same lock and the same error.
 */
const references = `
alter table article_likes drop constraint article_likes_article_id_fkey;
alter table bookmarks drop constraint bookmarks_article_id_fkey;
alter table notifications drop constraint notifications_article_id_fkey;

create function article_required() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select distinct article_id from changed where article_id is not null);
begin
  if (select count(*) from (select from all_articles where id = any(ids) order by id for key share) a) < cardinality(ids) then
    raise foreign_key_violation using message = 'there is no such article',
      table = tg_table_name, constraint = tg_table_name || '_article_id_fkey';
  end if;
  return null;
end $$;
-- By its name before the triggers that lock counters.
create trigger article_exists after insert on article_likes
  referencing new table as changed for each statement execute function article_required();
create trigger article_exists after insert on bookmarks
  referencing new table as changed for each statement execute function article_required();
create trigger article_exists after insert on notifications
  referencing new table as changed for each statement execute function article_required();
`;

const functions = `
create function end_articles(ids bigint[]) returns void language plpgsql as $$
begin
  insert into ended_articles (article_id, notification_id)
  select id, (select last_value from notification_ids) from unnest(ids) i (id) order by id
  on conflict (article_id) do update set notification_id = excluded.notification_id;
  perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
end $$;

create function articles_ended() returns trigger language plpgsql set enable_seqscan to off as $$
declare
  ids bigint[] := array(select id from changed);
begin
  delete from notifications where article_id = any(ids) and type <> 'ARTICLE';
  if (select count(*) from unnest(ids) i (id) cross join lateral (
        (select 1 from article_likes where article_id = i.id limit ${MOST + 1})
        union all (select 1 from bookmarks where article_id = i.id limit ${MOST + 1})
        union all (select 1 from notifications where article_id = i.id and type = 'ARTICLE' limit ${MOST + 1})
      ) r) > ${MOST} then
    perform end_articles(array(select id from unnest(ids) i (id)
      where exists (select from article_likes where article_id = i.id) or exists (select from bookmarks where article_id = i.id)
        or exists (select from notifications where article_id = i.id and type = 'ARTICLE')));
  else
    delete from article_likes where article_id = any(ids);
    delete from bookmarks where article_id = any(ids);
    delete from notifications where article_id = any(ids) and type = 'ARTICLE';
  end if;
  return null;
end $$;
create trigger articles_ended after delete on all_articles
  referencing old table as changed for each statement execute function articles_ended();

-- As in 0031-private-articles, apart from the notifications.
create or replace function article_visibility_changed() returns trigger language plpgsql as $$
declare
  added integer := case when new.is_private then -1 else 1 end;
  ids bigint[] := array(select tag_id from all_article_tags where article_id = new.id);
begin
  update member_counts set articles = articles + added, private_articles = private_articles - added
  where member_id = new.member_id;
  perform count_public_articles(added);
  perform lock_tags(ids);
  update tags set article_count = article_count + added, private_count = private_count - added where id = any(ids);
  update member_tags set article_count = article_count + added, private_count = private_count - added
  where member_id = new.member_id and tag_id = any(ids);
  update all_article_tags set is_private = new.is_private where article_id = new.id;
  if new.is_private then
    delete from notifications where article_id = new.id and member_id <> new.member_id and type <> 'ARTICLE';
    if (select count(*) from (
          select from notifications where article_id = new.id and type = 'ARTICLE' limit ${MOST + 1}) n) > ${MOST} then
      perform end_articles(array[new.id]);
    else
      delete from notifications where article_id = new.id and type = 'ARTICLE';
    end if;
  end if;
  return null;
end $$;
`;

export const migration: Migration = {
  name: '0050-ended-articles',
  locks: {
    all_articles: 'access exclusive',
    article_likes: 'access exclusive',
    bookmarks: 'access exclusive',
    notifications: 'access exclusive',
  },
  up: [table, references, functions],
};
