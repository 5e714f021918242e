/**
 * Deletes notifications, reactions and bookmarks of articles that were deleted or became private. A job does it in batches where one transaction would take too long: the
 * change adds a row to `ended_articles` and the job (migrations/0001/10-reactions.sql). Members do not see these rows; `idsOfEnded` subtracts them from the counters of notifications.
 */
import { statement } from '../../platform/database/statement.js';

/** Articles of one transaction: many have only a few rows each. */
const ARTICLES = 100;

/** The next articles. Another process that deletes the rows of the same ones waits. */
const next = (name: string, condition: string) =>
  statement<[], { articleId: number }>(
    name,
    `select article_id as "articleId" from ended_articles where ${condition} order by article_id limit ${ARTICLES} for update`,
  );

/** Those with notifications, which numbers of notifications are compared with, come first. */
export const NEXT_NOTIFIED_ARTICLES = next('next_notified_articles', 'notification_id is not null');
export const NEXT_ENDED_ARTICLES = next('next_ended_articles', 'notification_id is null');

interface Rows {
  readonly table: 'notifications' | 'reactions' | 'bookmarks';
  /** Columns of the rows. */
  readonly key: string;
  /** The other columns of the index that begins with the article. */
  readonly order: string;
  /** A condition on the rows `x` of the article `e`. */
  readonly areEnded: string;
  /** A condition on the rows with the keys in `chosen`, by an index, however many rows the planner expects. */
  readonly areChosen: string;
}

const removal = ({ table, key, order, areEnded, areChosen }: Rows) =>
  statement<[articleIds: readonly number[], limit: number], { removed: number }>(
    `remove_ended_${table}`,
    `with chosen as materialized (
       select x.* from ended_articles e
         cross join lateral (select ${key} from ${table} x where x.article_id = e.article_id and ${areEnded} order by ${order} limit $2) x
       where e.article_id = any($1::bigint[]) limit $2
     ), removed as (
       delete from ${table} where ${areChosen}
     )
     select count(*) as removed from chosen`,
  );

export const REMOVE_ENDED_NOTIFICATIONS = removal({
  table: 'notifications',
  key: 'id',
  order: 'member_id',
  areEnded: "(e.is_deleted or x.type = 'ARTICLE') and x.id <= e.notification_id",
  areChosen: 'id = any(array(select id from chosen))',
});

const ofDeletedArticle = (table: 'reactions' | 'bookmarks', order: string) =>
  removal({
    table,
    key: `article_id, ${order}`,
    order,
    areEnded: 'e.is_deleted',
    areChosen: `article_id = any(array(select article_id from chosen)) and (article_id, ${order}) in (select * from chosen)`,
  });

/** The newest comments first: a reply is newer than what it replies to, so that nothing else is deleted with a batch. */
const REMOVE_ENDED_COMMENTS = statement<[articleIds: readonly number[], limit: number], { removed: number }>(
  'remove_ended_comments',
  `with chosen as materialized (
     select x.id from ended_articles e
       cross join lateral (select id from comments where article_id = e.article_id order by created_at desc, id desc limit $2) x
     where e.article_id = any($1::bigint[]) and e.is_deleted limit $2
   ), removed as (
     delete from comments where id = any(array(select id from chosen))
   )
   select count(*) as removed from chosen`,
);

/** An SQL condition: the article with this id, which is not null, was deleted, and the job has not finished. */
export const isOfDeleted = (articleId: string): string =>
  `${articleId} in (select e.article_id from ended_articles e where e.is_deleted)`;

export const ENDED_ROWS = [
  ofDeletedArticle('reactions', 'kind, member_id'),
  ofDeletedArticle('bookmarks', 'member_id'),
  REMOVE_ENDED_COMMENTS,
];

export const FINISH_NOTIFIED_ARTICLES = statement<[articleIds: readonly number[]]>(
  'finish_notified_articles',
  'update ended_articles set notification_id = null where article_id = any($1::bigint[])',
);

export const FINISH_ENDED_ARTICLES = statement<[articleIds: readonly number[]]>(
  'finish_ended_articles',
  'delete from ended_articles where article_id = any($1::bigint[])',
);
