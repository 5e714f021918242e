/**
 * What readers have of articles that were deleted or became private, where it is too much for the transaction of the change, which adds a row to
 * `ended_articles` and the job (migrations/0050-ended-articles.ts). Nobody sees these rows; `endedOf` subtracts them from the counters of notifications.
 */
import { statement } from '../../platform/database/statement.js';

/** The next article. Another process that deletes the rows of the same one waits. */
export const NEXT_ENDED_ARTICLE = statement<[], { articleId: number }>(
  'next_ended_article',
  'select article_id as "articleId" from ended_articles order by article_id limit 1 for update',
);

const IS_DELETED = 'not exists (select from all_articles where id = $1)';

const removal = (name: string, rows: string) =>
  statement<[articleId: number, limit: number], { removed: number }>(
    name,
    `with removed as (delete from ${rows} returning 1) select count(*) as removed from removed`,
  );

/** Each deletes the next rows of an article, in the order in which counters are locked. */
export const ENDED_ROWS = [
  removal(
    'remove_ended_notifications',
    `notifications where id in (
       select id from notifications where type = 'ARTICLE' and article_id = $1
         and id <= (select notification_id from ended_articles where article_id = $1)
       order by member_id limit $2)`,
  ),
  removal(
    'remove_ended_likes',
    `article_likes where article_id = $1 and member_id in (
       select member_id from article_likes where article_id = $1 and ${IS_DELETED} order by member_id limit $2)`,
  ),
  removal(
    'remove_ended_bookmarks',
    `bookmarks where article_id = $1 and member_id in (
       select member_id from bookmarks where article_id = $1 and ${IS_DELETED} order by member_id limit $2)`,
  ),
];

export const FINISH_ENDED_ARTICLE = statement<[articleId: number]>(
  'finish_ended_article',
  'delete from ended_articles where article_id = $1',
);
