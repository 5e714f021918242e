/** Comments and replies, over REST. */
import {
  CommentsArgs,
  HiddenCommentsArgs,
  PlacedCommentArgs,
  RepliesArgs,
  SetCommentHiddenArgs,
  UpdateCommentArgs,
} from '../../schema/comment.js';
import { PageArgs } from '../../schema/page.js';
import { IdArgs } from '../../schema/scalars.js';
import { type Endpoint, GET_DEFAULTS, nothing, rootField } from '../engine/endpoint.js';
import { field, idOrZero, object, pageNumber, path, query } from '../engine/source.js';
import {
  COMMENT,
  COMMENT_ON_PAGE,
  COMMENT_VISIBILITY,
  OWN_COMMENT,
  PAGINATION,
  PLACED_COMMENT,
  REPLY,
} from './shapes.js';

const listComments: Endpoint = {
  ...GET_DEFAULTS,
  ignoresUnknownParameters: true,
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: "List an article's comments, each with its replies",
  description:
    'No authentication required. Each comment includes its first 100 replies, oldest first. A deleted comment stays ' +
    'in the list, as `(deleted)`, while it has replies. The content of a hidden comment is `(hidden)`.',
  example: { articleId: 1, page: 1, size: 10, sort: 'createdAt,desc' },
  auth: 'none',
  operation: `query ($id: ID!, $page: Int, $size: Int, $sort: CommentSort) {
    comments(articleId: $id, page: $page, size: $size, sort: $sort) { contents { ...Comment } pagination { ...Pagination } }
  } ${COMMENT} ${PAGINATION}`,
  variables: { id: path('articleId'), page: pageNumber(), size: query('size'), sort: query('sort') },
  args: CommentsArgs,
  result: rootField('comments'),
  errors: ['ARTICLE_NOT_FOUND', 'QUERY_TOO_COMPLEX'],
};

const listReplies: Endpoint = {
  ...GET_DEFAULTS,
  path: '/comments/{commentId}/replies',
  group: 'Comment',
  summary: 'List the replies to a comment, oldest first',
  description:
    'No authentication required. Lists all replies, including those beyond the first 100, which are part of the comment.',
  example: { commentId: 1, page: 1, size: 10 },
  auth: 'none',
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    replies(commentId: $id, page: $page, size: $size) { contents { ...Reply } pagination { ...Pagination } }
  } ${REPLY} ${PAGINATION}`,
  variables: { id: path('commentId'), page: pageNumber(), size: query('size') },
  args: RepliesArgs,
  result: rootField('replies'),
  errors: ['COMMENT_NOT_FOUND'],
};

const listOwnComments: Endpoint = {
  ...GET_DEFAULTS,
  path: '/comments/me',
  group: 'Comment',
  summary: 'List the comments and replies that you wrote, newest first',
  description:
    'Authentication required. Each has the IDs of its article and, for a reply, of its parent comment, and whether the ' +
    'author of the article hid it.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  operation: `query ($page: Int, $size: Int) {
    myComments(page: $page, size: $size) { contents { ...OwnComment } pagination { ...Pagination } }
  } ${OWN_COMMENT} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('myComments'),
};

const listReceivedComments: Endpoint = {
  ...GET_DEFAULTS,
  path: '/comments/me/received',
  group: 'Comment',
  summary: 'List comments and replies by others on your articles, newest first',
  description:
    'Authentication required. Covers all of your articles and excludes your own comments and replies. `hidden` tells ' +
    'whether you hid it.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  operation: `query ($page: Int, $size: Int) {
    receivedComments(page: $page, size: $size) { contents { ...OwnComment } pagination { ...Pagination } }
  } ${OWN_COMMENT} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('receivedComments'),
};

const listHiddenComments: Endpoint = {
  ...GET_DEFAULTS,
  path: '/articles/{articleId}/comments/hidden',
  group: 'Comment',
  summary: 'List the hidden comments and replies on your article, newest first',
  description: 'Author of the article only. Deleted comments are not included.',
  example: { articleId: 1, page: 1, size: 10 },
  auth: 'bearer',
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    hiddenComments(articleId: $id, page: $page, size: $size) { contents { ...PlacedComment } pagination { ...Pagination } }
  } ${PLACED_COMMENT} ${PAGINATION}`,
  variables: { id: path('articleId'), page: pageNumber(), size: query('size') },
  args: HiddenCommentsArgs,
  result: rootField('hiddenComments'),
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

const readComment: Endpoint = {
  ...GET_DEFAULTS,
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Read a comment or reply, with the page that it is on',
  description:
    'No authentication required. `page` is the page of the comments of the article, newest first and with this size, that ' +
    'contains the comment or, for a reply, its parent: for links to a comment.',
  example: { commentId: 1, size: 10 },
  auth: 'none',
  operation: `query ($id: ID!, $size: Int) { comment(id: $id) { ...CommentOnPage } } ${COMMENT_ON_PAGE}`,
  variables: { id: path('commentId'), size: query('size') },
  args: PlacedCommentArgs,
  result: rootField('comment'),
  errors: ['COMMENT_NOT_FOUND'],
};

const createComment: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: 'Comment on an article, or reply to a comment',
  description:
    'Authentication required. With `parentCommentId`, creates a reply to that comment; replies are one level deep. The ' +
    'author of the article and, for a reply, the author of the comment are notified.',
  example: { articleId: 1, content: 'Is there a train that goes there?', parentCommentId: 1 },
  auth: 'bearer',
  isRevisioned: true,
  status: 201,
  message: 'commentCreated',
  body: 'json',
  operation: `mutation ($input: CreateCommentInput!) { createComment(input: $input) { ...PlacedComment } } ${PLACED_COMMENT}`,
  variables: {
    input: object({ articleId: path('articleId'), content: field('content'), parentId: idOrZero('parentCommentId') }),
  },
  result: rootField('createComment'),
  errors: ['ARTICLE_NOT_FOUND', 'COMMENT_NOT_FOUND', 'REPLY_TOO_DEEP'],
};

const updateComment: Endpoint = {
  method: 'PATCH',
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Update the content of your comment',
  description: 'Author only. Sends no further notifications.',
  example: { commentId: 2, content: 'The one at Ulgi, on the east coast.' },
  auth: 'bearer',
  isRevisioned: true,
  status: 200,
  message: 'commentChanged',
  body: 'json',
  operation: `mutation ($id: ID!, $content: String!) { updateComment(id: $id, content: $content) { ...PlacedComment } } ${PLACED_COMMENT}`,
  variables: { id: path('commentId'), content: field('content') },
  args: UpdateCommentArgs,
  result: rootField('updateComment'),
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND', 'PRECONDITION_FAILED'],
};

const setCommentHidden: Endpoint = {
  method: 'PUT',
  path: '/comments/{commentId}/hidden',
  group: 'Comment',
  summary: 'Hide a comment or reply on your article, or show it again',
  description:
    'Author of the article only. Everyone except you and the author of the comment sees `(hidden)` instead of its ' +
    'content. Its replies stay visible, and it stays hidden when it is edited. Idempotent.',
  example: { commentId: 1, hidden: true },
  auth: 'bearer',
  status: 200,
  message: 'commentVisibilityChanged',
  body: 'json',
  operation: `mutation ($id: ID!, $hidden: Boolean!) {
    setCommentHidden(id: $id, hidden: $hidden) { ...CommentVisibility }
  } ${COMMENT_VISIBILITY}`,
  variables: { id: path('commentId'), hidden: field('hidden') },
  args: SetCommentHiddenArgs,
  result: rootField('setCommentHidden'),
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

const deleteComment: Endpoint = {
  ignoresUnknownParameters: true,
  method: 'DELETE',
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Delete your comment',
  description: 'Author only. A comment with replies is shown as `(deleted)` until its last reply is deleted.',
  example: { commentId: 2 },
  auth: 'bearer',
  status: 200,
  message: 'commentDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteComment(id: $id) { id } }',
  variables: { id: path('commentId') },
  args: IdArgs,
  result: nothing,
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
  deleteComment,
];
