/**
 * Who sees which comments, and what of them: conditions on `comments c`, its article `a` and the reader. The rules are functions beside the tables
 * (`can_read`: migrations/0001/04-articles.sql; `sees_held`: 09-comments.sql; `comment_seen_by`: migrations/0003-comments-seen-by.ts).
 */
import { isModerated, readableBy } from '../article/article.js';
import { isModerator } from '../moderation/role.js';

/** The table `v` with the reader `v.r` of a statement. @param reader an SQL expression, such as `$2::reader` */
export const readerTable = (reader: string): string => `(select ${reader} as r) v`;

/** Conditions on the article `a` of comments: the reader `v.r` sees it as it is; or a moderator sees what was public of it. */
export const IS_ARTICLE_READABLE = readableBy('v.r');
export const IS_ARTICLE_MODERATED = isModerated('v.r');

/** SQL condition. A moderator who reads a removed article sees only comments that were last changed before the article became private. */
export const isShown = (comment: string): string => `(${IS_ARTICLE_READABLE} or ${comment}.updated_at <= a.private_at)`;

/** Joins the article `a` of the comment `c`, if the reader `v.r` sees the comment there. */
export const JOIN_ARTICLE = 'cross join lateral article_of_comment(c.article_id, c.updated_at, v.r) a';

/** Joins what the reader `v.r` sees of the comment `c`, with everything masked that others do not see. */
export const JOIN_SEEN = 'cross join lateral comment_seen_by(c, v.r) s';

const isReaderModerator = (reader: string) => isModerator(`(${reader}).moderator_id`);

/** A condition on `held_comments c`: the reader sees that it exists. With readableBy for its article, the only definition of who does. */
export const seesHeld = (reader: string): string =>
  `sees_held(c.member_id, c.received_by, ${reader}, ${isReaderModerator(reader)})`;

/** The same without the role, for lists of the member's own. */
export const seesHeldAsMember = (reader: string): string => `sees_held(c.member_id, c.received_by, ${reader}, false)`;
