/** Statements that delete many comments in batches, before what they belong to is deleted. */
import { statement } from '../../platform/database/statement.js';

/**
 * The newest comments with a number in a column, and the notifications about them at once: the foreign key would change them one by one. Counters are locked in
 * the order of new comments. A reply is newer than what it replies to, so that nothing else is deleted with a batch. None if a batch would have all of them: the
 * last transaction deletes these.
 */
const removal = (name: string, column: 'article_id' | 'received_by') =>
  statement<[of: number, limit: number], { removed: number }>(
    name,
    `with newest as materialized (
       select id from comments where ${column} = $1 order by created_at desc, id desc limit $2::bigint + 1
     ), batch as materialized (
       select id from newest where (select count(*) from newest) > $2::bigint limit $2::bigint
     ), removed as (
       delete from comments where id = any(array(select id from batch)) returning id
     ), notified as (
       delete from notifications where comment_id = any(array(select id from removed))
     )
     select count(*) as removed from batch`,
  );

export const REMOVE_COMMENTS_OF_ARTICLE = removal('remove_comments_of_article', 'article_id');

/** Comments of others on the articles of a member. */
export const REMOVE_RECEIVED_COMMENTS = removal('remove_received_comments', 'received_by');
