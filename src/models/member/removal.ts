/**
 * Members who withdrew, and what rows of other tables have of them until a job has changed or deleted these (docs/decisions/withdrawal.md). A trigger adds a row to
 * `withdrawn_members`, and the job.
 */
import { statement } from '../../platform/database/statement.js';

/**
 * The articles of the member, before their tags, and those with comments of the member that wait for approval, whose end renews the stamp of the article: in one
 * order, since another member can withdraw who has comments on the articles of this one.
 */
export const LOCK_ARTICLES = statement<[memberId: number], { locked: number }>(
  'lock_articles_of_member',
  `select count(*) as locked from (
     select from all_articles where id = any(array(
       select id from all_articles where member_id = $1 union select article_id from held_comments where member_id = $1
     )) order by id for update
   ) a`,
);

/** Before the other counters of the member, which the foreign keys delete first: the end of a follow locks both. */
export const LOCK_NOTIFICATION_COUNTS = statement<[memberId: number]>(
  'lock_notification_counts_of_member',
  'select from notification_counts where member_id = $1 for update',
);

/** An SQL condition: the member with this id, which is not null, withdrew, and the job has not finished. The table is empty nearly always, and read once for each statement. */
export const isWithdrawn = (id: string): string => `${id} in (select w.id from withdrawn_members w)`;

/** An SQL expression: the number of such members who follow the member with this id, which a counter contains until the job has deleted their rows. */
export const followersWithdrawn = (memberId: string): string =>
  `case when exists (select from withdrawn_members) then (
     select count(*)::integer from withdrawn_members w cross join lateral (
       select from follows x where x.member_id = ${memberId} and x.follower_id = w.id offset 0) x) else 0 end`;

/** Members of one transaction. */
const MEMBERS = 100;

/** The next members. Another process that changes rows of the same ones waits. */
export const NEXT_WITHDRAWN = statement<[], { id: number }>(
  'next_withdrawn_members',
  `select id from withdrawn_members order by id limit ${MEMBERS} for update`,
);

export const FINISH_WITHDRAWN = statement<[ids: readonly number[]]>(
  'finish_withdrawn_members',
  'delete from withdrawn_members where id = any($1::bigint[])',
);

type OfWithdrawn = [ids: readonly number[], limit: number];

/**
 * The common table expression `batch`: primary keys of the next rows to delete. The lateral join makes PostgreSQL use the index, also if its statistics are wrong.
 * @param keys columns of the table, of which `column` is one @param order the index; without it, any rows
 */
const batchOf = (table: string, column: string, keys: string, order = ''): string =>
  `batch as materialized (
     select x.* from unnest($1::bigint[]) w (id)
       cross join lateral (select ${keys} from ${table} where ${column} = w.id ${order} limit $2) x limit $2
   )`;

const removal = (table: string, column: string, keys: string) =>
  statement<OfWithdrawn, { changed: number }>(
    `remove_${table}_of_withdrawn_by_${column}`,
    `with ${batchOf(table, column, keys)}, removed as (
       delete from ${table} t using batch b where ${keys
         .split(', ')
         .map((key) => `t.${key} = b.${key}`)
         .join(' and ')}
     )
     select count(*) as changed from batch`,
  );

/** The newest comments first. Articles are locked before their comments, and replies before the comments that they reply to (docs/decisions/lock-order.md). */
const ANONYMIZE_COMMENTS = statement<OfWithdrawn, { changed: number }>(
  'anonymize_comments_of_withdrawn',
  `with ${batchOf('comments', 'member_id', 'id, article_id', 'order by created_at desc, id desc')}, articles_locked as materialized (
     select id from all_articles where id = any(array(select article_id from batch)) order by id for key share
   ), locked as materialized (
     select id from comments where id = any(array(select id from batch)) and (select count(*) from articles_locked) >= 0 order by id desc for update
   ), changed as (
     update comments set member_id = null where id = any(array(select id from locked))
   )
   select count(*) as changed from batch`,
);

const ANONYMIZE_NOTIFICATIONS = statement<OfWithdrawn, { changed: number }>(
  'anonymize_notifications_of_withdrawn',
  `with ${batchOf('notifications', 'actor_id', 'id')}, changed as (
     update notifications set actor_id = null where id = any(array(select id from batch))
   )
   select count(*) as changed from batch`,
);

/** What others see first: follows, with their notifications, and reactions. */
export const ROWS_OF_WITHDRAWN = [
  removal('follows', 'follower_id', 'follower_id, member_id'),
  removal('follows', 'member_id', 'follower_id, member_id'),
  removal('reactions', 'member_id', 'article_id, kind, member_id'),
  ANONYMIZE_COMMENTS,
  removal('notifications', 'member_id', 'id'),
  ANONYMIZE_NOTIFICATIONS,
  removal('article_mentions', 'member_id', 'article_id, member_id'),
  removal('comment_mentions', 'member_id', 'comment_id, member_id'),
];

/** Articles of others that refer to an image are locked before it: a trigger renews their stamps. */
export const REMOVE_IMAGES_OF_WITHDRAWN = statement<OfWithdrawn, { key: string }>(
  'remove_images_of_withdrawn',
  `with ${batchOf('images', 'member_id', 'id')}, locked as materialized (
     select id from all_articles
     where id = any(array(select article_id from article_images where image_id = any(array(select id from batch)))) order by id for no key update
   )
   delete from images where id = any(array(select id from batch)) and (select count(*) from locked) >= 0 returning key`,
);
