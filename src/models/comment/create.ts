/** Inserts a comment with its notifications, and finds what prevents it. */
import { statement } from '../../platform/database/statement.js';
import { readableBy } from '../article/article.js';
import { blocksBetween, isBlocked } from '../block.js';
import { MAILED, NOTIFY_OF_CREATED } from '../notification/create.js';
import { SPAM_VERSION } from '../spam.js';
import { COMMENT, type CommentRow, readerTable } from './comment.js';

/** The inserted row; `id` is null if the parent is missing or is itself a reply, or its author or that of the article blocks the member. */
type Created = { parentExists: boolean; isParentReply: boolean; isBlocked: boolean; spamVersion: number } & (
  | CommentRow
  | { id: null }
);

/** The parameters of a new comment. */
export type PlacedComment = [
  articleId: number,
  parentId: number | null,
  memberId: number,
  content: string,
  createdAt: Date | null,
  articleReaderId: number,
];

/** Common table expressions: the article of a new comment and the comment that it replies to, if the member sees the article, and `block`. */
export const PLACE = `place as (
    select a.id, a.is_private, a.member_id as article_author_id, p.member_id as parent_author_id,
           p.id is not null as parent_exists, p.parent_id is not null as is_parent_reply
    from all_articles a left join comments p on p.id = $2 and p.article_id = a.id and p.deleted_at is null
    where a.id = $1 and ${readableBy('$6')} and require_not_suspended($3)
  ), ${blocksBetween('place', '$3', 'array[place.article_author_id, place.parent_author_id]')}`;

/**
 * One statement, so that the lock of the article's row, for which concurrent comments on the article wait, is held for the commit but not
 * for the round trips of a transaction.
 */
export const CREATE_COMMENT = statement<PlacedComment, Created>(
  'create_comment',
  `with ${PLACE}, created as (
    insert into comments (article_id, parent_id, member_id, content, created_at, updated_at)
    select id, $2, $3::bigint, $4::text, coalesce($5, now()), coalesce($5, now()) from place
    where ($2 is null or (parent_exists and not is_parent_reply)) and not ${isBlocked('$3')}
    returning *
  ), ${NOTIFY_OF_CREATED}
  select ${isBlocked('$3')} as "isBlocked", a.parent_exists as "parentExists", a.is_parent_reply as "isParentReply", ${SPAM_VERSION} as "spamVersion",
    ${COMMENT.select}
  from place a cross join ${readerTable('$3', '$6')} left join created c on true
  where ${MAILED}`,
);

/** Whether the author of a comment is blocked by that of its article, or of the comment that it replies to; both stay so until the end of the transaction. */
export const IS_COMMENTER_BLOCKED = statement<[id: number], { isBlocked: boolean }>(
  'is_commenter_blocked',
  `with place as (
     select c.member_id, a.member_id as article_author_id, p.member_id as parent_author_id
     from all_comments c join all_articles a on a.id = c.article_id left join comments p on p.id = c.parent_id
     where c.id = $1 and c.deleted_at is null
   ), ${blocksBetween('place', 'place.member_id', 'array[place.article_author_id, place.parent_author_id]')}
   select ${isBlocked('place.member_id')} as "isBlocked" from place`,
);
