/** The shapes of comments and replies. */
import { shape } from '../engine/shape.js';
import { TIMES } from './shapes.js';

const COMMENT_FIELDS = 'id content author: authorName memberId createdAt updatedAt';

const REPLY_EXAMPLE = {
  id: 2,
  content: 'The one at Ulgi, on the east coast.',
  author: 'mina',
  memberId: 1,
  createdAt: '2026-11-20T10:05:12',
  updatedAt: '2026-11-20T10:05:12',
};

export const REPLY = shape({
  fragment: `fragment Reply on Comment { ${COMMENT_FIELDS} }`,
  description: 'A comment or reply, without replies to it. Times are in UTC.',
  example: REPLY_EXAMPLE,
});

export const COMMENT = shape({
  fragment: `fragment Comment on Comment { ${COMMENT_FIELDS} replies { ...Reply } } ${REPLY}`,
  description: 'A top-level comment with its first 100 replies, oldest first. Times are in UTC.',
  example: { id: 1, content: 'Which lighthouse is it?', author: 'jun', memberId: 2, ...TIMES },
});

/** A comment or reply without its replies, with the ids of its article and its parent. */
export const PLACED_COMMENT = shape({
  fragment: `fragment PlacedComment on Comment { ${COMMENT_FIELDS} articleId parentId }`,
  description: 'A comment or reply, with the IDs of its article and its parent comment. Times are in UTC.',
  example: { ...REPLY_EXAMPLE, articleId: 1, parentId: 1 },
});

export const WRITTEN_COMMENT = shape({
  fragment: `fragment WrittenComment on Comment { ${COMMENT_FIELDS} articleId parentId held }`,
  description: 'A comment or reply, and whether it waits for approval. Times are in UTC.',
  example: { ...REPLY_EXAMPLE, articleId: 1, parentId: 1, held: false },
});

export const OWN_COMMENT = shape({
  fragment: `fragment OwnComment on Comment { ${COMMENT_FIELDS} articleId parentId hidden held removed }`,
  description:
    'A comment or reply by the member or on their articles, and whether it is hidden, waits for approval, or was removed by a moderator. Times are in UTC.',
  example: { ...REPLY_EXAMPLE, articleId: 1, parentId: 1, hidden: false, held: false, removed: false },
});

export const COMMENT_ON_PAGE = shape({
  fragment: `fragment CommentOnPage on Comment { ${COMMENT_FIELDS} articleId parentId page(size: $size) }`,
  description: 'A comment or reply, with the page of its article that it is on. Times are in UTC.',
  example: { ...REPLY_EXAMPLE, articleId: 1, parentId: 1, page: 1 },
});

export const COMMENT_VISIBILITY = shape({
  fragment: `fragment CommentVisibility on Comment { commentId: id hidden }`,
  description: 'Whether a comment is hidden.',
  example: { commentId: 1, hidden: true },
});
