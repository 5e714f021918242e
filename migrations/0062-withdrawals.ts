/**
 * A withdrawal deletes the row of the member, and a deletion that of the article. What many rows have of them is deleted in batches, by a job: these rows have
 * no foreign key, which would change all of them in the same transaction (docs/decisions/withdrawal.md).
 */
import type { Migration } from '../src/platform/database/migration.js';

const tables = `
-- Members who withdrew, while rows of other tables still have their ids.
create table withdrawn_members (id bigint primary key);
alter table ended_articles add column is_deleted boolean not null default false;
`;

/** Columns with the id of a member, with the trigger that replaces the foreign key: by its name before those that lock counters. */
const REFERENCES = [
  {
    column: 'member_id',
    trigger: 'account_exists',
    of: ['comments', 'article_likes', 'follows', 'notifications', 'article_mentions', 'comment_mentions', 'images'],
  },
  { column: 'actor_id', trigger: 'actor_exists', of: ['notifications'] },
  { column: 'follower_id', trigger: 'follower_exists', of: ['follows'] },
];

/** The lock and the error are those of the foreign key, as in article_required (0050-ended-articles). */
const references = REFERENCES.map(
  ({ column, trigger, of }) => `
create function ${column}_required() returns trigger language plpgsql as $$
declare
  ids bigint[] := array(select distinct ${column} from changed where ${column} is not null);
begin
  if (select count(*) from (select from members where id = any(ids) order by id for key share) m) < cardinality(ids) then
    raise foreign_key_violation using message = 'there is no such member',
      table = tg_table_name, constraint = tg_table_name || '_${column}_fkey';
  end if;
  return null;
end $$;
${of
  .map(
    (table) => `alter table ${table} drop constraint ${table}_${column}_fkey;
create trigger ${trigger} after insert on ${table}
  referencing new table as changed for each statement execute function ${column}_required();`,
  )
  .join('\n')}`,
);

const comments = `
alter table comments drop constraint comments_article_id_fkey;
create trigger article_exists after insert on comments
  referencing new table as changed for each statement execute function article_required();
-- The rows of follows are deleted, and these notifications with them.
drop trigger follower_withdrawn on notifications;
drop function follower_withdrawn();
drop index notifications_article;
`;

/** Tables with rows of an article that a job deletes. */
const ROWS = ['article_likes', 'bookmarks', 'notifications', 'comments'];

const functions = `
create or replace function end_articles(ids bigint[]) returns void language plpgsql as $$
begin
  insert into ended_articles (article_id, is_deleted, notification_id)
  select id, e.is_deleted, (select last_value from notification_ids
    where exists (select from notifications where article_id = i.id and (e.is_deleted or type = 'ARTICLE')))
  from unnest(ids) i (id) cross join lateral (select not exists (select from all_articles a where a.id = i.id) as is_deleted) e order by id
  on conflict (article_id) do update set is_deleted = excluded.is_deleted, notification_id = excluded.notification_id;
  perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
end $$;

create or replace function articles_ended() returns trigger language plpgsql set enable_seqscan to off as $$
declare
  ids bigint[] := array(select id from changed i where ${ROWS.map((table) => `exists (select from ${table} where article_id = i.id)`).join(' or ')});
begin
  if cardinality(ids) > 0 then perform end_articles(ids); end if;
  -- Moderators do not find comments that are still to be deleted.
  delete from moderation_cases k where k.opened_at is not null and k.comment_id is not null
    and (select c.article_id from comments c where c.id = k.comment_id) = any(ids);
  return null;
end $$;

-- By their names after the triggers that lock counters of members: a deletion locks the numbers of the member's months after these.
alter trigger article_counts_added on all_articles rename to articles_inserted_with_counts;
alter trigger article_counts_copied on all_articles rename to article_visibility_copied;

-- As in 0038-reactions, apart from the lock of the counters of notifications: like a new comment, and before the other counters.
create or replace function follows_counted() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if tg_op = 'INSERT' then
    insert into reader_counts as c (member_id, following)
    select follower_id, count(*) from changed group by 1 order by 1
    on conflict (member_id) do update set following = c.following + excluded.following;
  else
    perform from reader_counts where member_id in (select follower_id from changed) order by member_id for no key update;
    update reader_counts c set following = c.following - n.following
    from (select follower_id, count(*) as following from changed group by 1) n where c.member_id = n.follower_id;
  end if;
  perform from notification_counts where member_id in (select member_id from changed) order by member_id for no key update;
  perform from member_counts where member_id in (select member_id from changed) order by member_id for no key update;
  update member_counts c set followers = c.followers + sign * n.followers
  from (select member_id, count(*) as followers from changed group by 1) n where c.member_id = n.member_id;
  if tg_op = 'DELETE' then
    delete from notifications n using changed x
    where n.type = 'FOLLOW' and n.member_id = x.member_id and n.actor_id = x.follower_id;
  end if;
  return null;
end $$;

create function members_withdrawn() returns trigger language plpgsql set enable_seqscan to off as $$
begin
  insert into withdrawn_members (id) select id from withdrawn m
  where ${REFERENCES.flatMap(({ column, of }) => of.map((table) => `exists (select from ${table} where ${column} = m.id)`)).join('\n    or ')};
  if found then
    perform graphile_worker.add_job('delete-rows-of-readers', queue_name => 'rows-of-readers-0', job_key => 'delete-rows-of-readers');
  end if;
  return null;
end $$;
create trigger members_withdrawn after delete on members
  referencing old table as withdrawn for each statement execute function members_withdrawn();
`;

export const migration: Migration = {
  name: '0062-withdrawals',
  locks: {
    members: 'access exclusive',
    all_articles: 'access exclusive',
    comments: 'access exclusive',
    article_likes: 'access exclusive',
    follows: 'access exclusive',
    notifications: 'access exclusive',
    article_mentions: 'access exclusive',
    comment_mentions: 'access exclusive',
    images: 'access exclusive',
    ended_articles: 'access exclusive',
  },
  up: [tables, ...references, comments, functions],
  indexes: ['create index notifications_article on notifications (article_id, member_id)'],
};
