/** Likes. Bookmarks and follows have lists, and files of their own. */
import { statement } from '../platform/database/statement.js';
import { readableBy } from './article/article.js';
import { blocksBetween, isBlocked } from './block.js';
import { MAIL, MAILED } from './notification/create.js';
import { settingOf } from './notification/kinds.js';
import type { Reader } from './reader.js';

/**
 * One statement, as the others of readers: nothing happens if the article is already liked. `likes`: the number after it, exact with
 * concurrent ones. No row if the reader does not see the article, or if it was deleted meanwhile. Members who block each other are not notified.
 */
export const LIKE_ARTICLE = statement<
  [articleId: number, memberId: number, reader: Reader],
  { articleId: number; likeCount: number; isBlocked: boolean }
>(
  'like_article',
  `with article as (
     select a.id, a.member_id from all_articles a where a.id = $1 and ${readableBy('$3::reader')} and require_not_suspended($2)
   ), ${blocksBetween('article', '$2', 'array[article.member_id]')}, recipients as (
     select a.id, a.member_id, s.email, a.member_id <> $2 and ${settingOf('LIKE')} and not exists (select from block) as is_notified
     from article a left join notification_settings s on s.member_id = a.member_id and s.type = 'LIKE'
     where not ${isBlocked('$2')}
   ), liked as materialized (
     select r.id, r.member_id, r.email, l.likes, l.notified
     from recipients r cross join lateral like_article(r.id, $2, r.is_notified) l
   ), present as (
     select member_id, email, $2::bigint as actor_id from liked where notified
   ), ${MAIL}
   select a.id as "articleId", l.likes as "likeCount", ${isBlocked('$2')} as "isBlocked"
   from article a left join liked l on true where ${MAILED} and (l.id is null or l.likes is not null)`,
);

/** As LIKE_ARTICLE. */
export const UNLIKE_ARTICLE = statement<
  [articleId: number, memberId: number, reader: Reader],
  { articleId: number; likeCount: number }
>(
  'unlike_article',
  `select a.id as "articleId", unlike_article(a.id, $2) as "likeCount"
   from all_articles a where a.id = $1 and ${readableBy('$3::reader')}`,
);
