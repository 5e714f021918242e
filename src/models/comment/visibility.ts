/**
 * Who sees which comments, and what of them: conditions on `comments c`, its article `a` and the reader. The rules are functions beside the tables
 * (`can_read`: migrations/0001/04-articles.sql; `comment_content`, `sees_held`: 09-comments.sql); this file has what they are called with.
 */
import { isModerated, readableBy } from '../article/article.js';
import { isHiddenByBlock } from '../block.js';
import { isModerator } from '../moderation/role.js';

/** The table `v` with the reader `v.r` of a statement. @param reader an SQL expression, such as `$2::reader` */
export const readerTable = (reader: string): string => `(select ${reader} as r) v`;

/** Conditions on the article `a` of comments: the reader `v.r` sees it as it is; or a moderator sees what was public of it. */
export const IS_ARTICLE_READABLE = readableBy('v.r');
export const IS_ARTICLE_MODERATED = isModerated('v.r');

/** SQL condition. A moderator who reads a removed article sees only comments that were last changed before the article became private. */
export const isShown = (comment: string): string => `(${IS_ARTICLE_READABLE} or ${comment}.updated_at <= a.private_at)`;

/** Joins the article of `comments c` if the reader `v.r` sees it, and the comment. */
export const JOIN_READABLE_ARTICLE = `join all_articles a on a.id = c.article_id
  and (${IS_ARTICLE_READABLE} or (c.updated_at <= a.private_at and ${IS_ARTICLE_MODERATED}))`;

/** The row of `comments c` is only the place of a comment with replies that is held again after an edit. */
export const IS_PLACE_OF_HELD = 'c.deleted_at is not null and exists (select from held_comments h where h.id = c.id)';

const isReaderModerator = (reader: string) => isModerator(`(${reader}).moderator_id`);

/** What a reader sees of comments that others do not, and the reverse. */
interface Sight {
  readonly seesRemoved: string;
  readonly seesHidden: string;
  readonly isBlocked: string;
}

const sightOf = (reader: string): Sight => ({
  seesRemoved: `(coalesce((${reader}).viewer_id = c.member_id, false) or ${isReaderModerator(reader)})`,
  seesHidden: `(((${reader}).viewer_id in (c.member_id, c.received_by)) is true)`,
  isBlocked: isHiddenByBlock(`(${reader}).viewer_id`, 'c.member_id'),
});

const contentFor = ({ seesRemoved, seesHidden, isBlocked }: Sight): string => `comment_content(
    content => c.content,
    is_deleted => c.deleted_at is not null,
    is_place_of_held => ${IS_PLACE_OF_HELD},
    is_removed => c.removed_at is not null,
    sees_removed => ${seesRemoved},
    is_hidden => c.is_hidden,
    sees_hidden => ${seesHidden},
    is_blocked => ${isBlocked})`;

export const CONTENT = contentFor(sightOf('v.r'));

/** Without the conditions on members, which PostgreSQL prepares for each execution even if it checks none. */
export const CONTENT_FOR_ANONYMOUS = contentFor({ seesRemoved: 'false', seesHidden: 'false', isBlocked: 'false' });

/** For an export by the operator: whatever members have blocked, and without removed content. */
export const EXPORTED_CONTENT = contentFor({ ...sightOf('v.r'), seesRemoved: 'false', isBlocked: 'false' });

/** A condition: the reader sees the content, not a placeholder of it. */
export const hasContent = (reader: string): string => {
  const { seesRemoved, seesHidden, isBlocked } = sightOf(reader);
  return `c.deleted_at is null
    and (c.removed_at is null or ${seesRemoved})
    and (not c.is_hidden or ${seesHidden})
    and not coalesce(${isBlocked}, false)`;
};

/** A condition on `held_comments c`: the reader sees that it exists. With readableBy for its article, the only definition of who does. */
export const seesHeld = (reader: string): string =>
  `sees_held(c.member_id, c.received_by, ${reader}, ${isReaderModerator(reader)})`;

/** The same without the role, for lists of the member's own. */
export const seesHeldAsMember = (reader: string): string => `sees_held(c.member_id, c.received_by, ${reader}, false)`;
