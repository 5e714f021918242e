/** Comments and replies, over REST. */
import { PositionedCommentArgs } from '../../schema/comment.js';
import type { Endpoint } from '../engine/endpoint.js';
import { field, idOrZero, object, path } from '../engine/source.js';
import {
  COMMENT,
  COMMENT_ON_PAGE,
  COMMENT_VISIBILITY,
  OWN_COMMENT,
  PLACED_COMMENT,
  REPLY,
  WRITTEN_COMMENT,
} from './comment-shapes.js';
import { PAGINATION } from './shapes.js';

const listComments: Endpoint = {
  method: 'GET',
  ignoresUnknownParameters: true,
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: "List an article's comments, each with its replies",
  description:
    'No authentication required. Each comment includes its first 100 replies, oldest first. A deleted comment stays ' +
    'in the list, as `(deleted)`, while it has replies. The content of a hidden comment is `(hidden)`.',
  example: { articleId: 1, sort: 'createdAt,desc' },
  operation: `query ($id: ID!, $page: Int, $size: Int, $sort: CommentSort) {
    comments(articleId: $id, page: $page, size: $size, sort: $sort) { contents { ...Comment } pagination { ...Pagination } }
  } ${COMMENT} ${PAGINATION}`,
  errors: ['ARTICLE_NOT_FOUND', 'QUERY_TOO_COMPLEX'],
};

const listReplies: Endpoint = {
  method: 'GET',
  path: '/comments/{commentId}/replies',
  summary: 'List the replies to a comment, oldest first',
  description:
    'No authentication required. Lists all replies, including those beyond the first 100, which are part of the comment.',
  operation: ['replies', REPLY],
  errors: ['COMMENT_NOT_FOUND'],
};

const listOwnComments: Endpoint = {
  method: 'GET',
  path: '/comments/me',
  summary: 'List the comments and replies that you wrote, newest first',
  description:
    'Authentication required. Each has the IDs of its article and, for a reply, of its parent comment, and whether the ' +
    'author of the article hid it, or it waits for approval. Those on articles that have become private remain in the list.',
  operation: ['myComments', OWN_COMMENT],
};

const listReceivedComments: Endpoint = {
  method: 'GET',
  path: '/comments/me/received',
  summary: 'List comments and replies by others on your articles, newest first',
  description:
    'Authentication required. Covers all of your articles and excludes your own comments and replies. `hidden` tells ' +
    'whether you hid it. With `held=true`, the list has those that wait for approval, and no others.',
  example: { held: false },
  operation: ['receivedComments', OWN_COMMENT],
};

const listHiddenComments: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/comments/hidden',
  group: 'Comment',
  summary: 'List the hidden comments and replies on your article, newest first',
  description: 'Author of the article only. Deleted comments are not included.',
  operation: ['hiddenComments', PLACED_COMMENT],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

const readComment: Endpoint = {
  method: 'GET',
  path: '/comments/{commentId}',
  summary: 'Read a comment or reply, with the page that it is on',
  description:
    'No authentication required. `page` is the page of the comments of the article, newest first and with this size, that ' +
    'contains the comment or, for a reply, its parent: for links to a comment.',
  operation: `query ($id: ID!, $size: Int) { comment(id: $id) { ...CommentOnPage } } ${COMMENT_ON_PAGE}`,
  // With the arguments of the field `page`, which the root field does not have.
  args: PositionedCommentArgs,
  errors: ['COMMENT_NOT_FOUND'],
};

const createComment: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: 'Comment on an article, or reply to a comment',
  description:
    'Authentication required. With `parentCommentId`, creates a reply to that comment; replies are one level deep. The ' +
    'author of the article, for a reply the author of the comment, and members whom the comment mentions are notified. A ' +
    'comment that waits for approval is `held`: others do not see it, and are notified when it is approved.',
  example: { content: 'Is there a train that goes there?', parentCommentId: 1 },
  isRevisioned: true,
  status: 201,
  message: 'commentCreated',
  operation: ['createComment', WRITTEN_COMMENT],
  variables: {
    input: object({ articleId: path('articleId'), content: field('content'), parentId: idOrZero('parentCommentId') }),
  },
  errors: ['ARTICLE_NOT_FOUND', 'BLOCKED', 'COMMENT_NOT_FOUND', 'HELD_LIMIT_REACHED', 'REPLY_TOO_DEEP'],
};

const updateComment: Endpoint = {
  method: 'PATCH',
  path: '/comments/{commentId}',
  summary: 'Update the content of your comment',
  description:
    'Author only. Notifies only members whom the edit mentions for the first time. The content is checked like that of a new ' +
    'comment: afterwards it may be `held`, or no longer be held.',
  example: { commentId: 2, content: 'The one at Ulgi, on the east coast.' },
  isRevisioned: true,
  message: 'commentChanged',
  operation: ['updateComment', WRITTEN_COMMENT],
  errors: ['BLOCKED', 'COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND', 'HELD_LIMIT_REACHED', 'PRECONDITION_FAILED'],
};

const setCommentHidden: Endpoint = {
  method: 'PUT',
  path: '/comments/{commentId}/hidden',
  summary: 'Hide a comment or reply on your article, or show it again',
  description:
    'Author of the article only. Everyone except you and the author of the comment sees `(hidden)` instead of its ' +
    'content. Its replies stay visible, and it stays hidden when it is edited. Idempotent.',
  example: { hidden: true },
  message: 'commentVisibilityChanged',
  operation: ['setCommentHidden', COMMENT_VISIBILITY],
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

const setCommentApproval: Endpoint = {
  method: 'PUT',
  path: '/comments/{commentId}/approval',
  summary: 'Approve or delete a comment that waits for approval',
  description:
    'Author of the article and moderators. An approved comment appears with its original time, and its recipients are notified. ' +
    'With `approved: false`, it is deleted, and returned as deleted; by a moderator, this is a decision, which its author can appeal. ' +
    'Approval is idempotent. A reply to a comment that is held itself is 404 until that one is approved.',
  example: { commentId: 3, approved: true },
  message: 'commentApprovalSet',
  operation: ['setCommentApproval', OWN_COMMENT],
  errors: ['ALREADY_DECIDED', 'COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND', 'PRECONDITION_FAILED'],
};

const deleteComment: Endpoint = {
  ignoresUnknownParameters: true,
  method: 'DELETE',
  path: '/comments/{commentId}',
  summary: 'Delete your comment',
  description:
    'Author only, also if the article has become private. A comment with replies is shown as `(deleted)` until its last ' +
    'reply is deleted.',
  example: { commentId: 2 },
  message: 'commentDeleted',
  operation: 'deleteComment',
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND', 'PRECONDITION_FAILED'],
};

export const commentEndpoints = [
  listComments,
  listReplies,
  listOwnComments,
  listReceivedComments,
  listHiddenComments,
  readComment,
  createComment,
  updateComment,
  setCommentHidden,
  setCommentApproval,
  deleteComment,
];
