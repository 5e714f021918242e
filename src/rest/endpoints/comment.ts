/** Reading comments and replies, over REST. */
import { CommentsArgs } from '../../schema/comment.js';
import { RepliesArgs } from '../../schema/comment-list.js';
import { PageArgs } from '../../schema/page.js';
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { pageNumber, path, query } from '../engine/source.js';
import { COMMENT, PAGINATION, PLACED_COMMENT, REPLY } from './shapes.js';

const listComments: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: "List an article's comments, newest first, each with its replies",
  description:
    'No authentication required. Each comment includes its first 100 replies, oldest first. A deleted comment stays ' +
    'in the list, as `(deleted)`, while it has replies.',
  example: { articleId: 1, page: 1, size: 10 },
  auth: 'none',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    comments(articleId: $id, page: $page, size: $size) { contents { ...Comment } pagination { ...Pagination } }
  } ${COMMENT} ${PAGINATION}`,
  variables: { id: path('articleId'), page: pageNumber(), size: query('size') },
  args: CommentsArgs,
  result: rootField('comments'),
  errors: ['ARTICLE_NOT_FOUND'],
  validator: { of: 'discussion', id: 'articleId', stampInQuery: true },
};

const listReplies: Endpoint = {
  method: 'GET',
  path: '/comments/{commentId}/replies',
  group: 'Comment',
  summary: 'List the replies to a comment, oldest first',
  description:
    'No authentication required. Lists all replies, including those beyond the first 100, which are part of the comment.',
  example: { commentId: 1, page: 1, size: 10 },
  auth: 'none',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    replies(commentId: $id, page: $page, size: $size) { contents { ...Reply } pagination { ...Pagination } }
  } ${REPLY} ${PAGINATION}`,
  variables: { id: path('commentId'), page: pageNumber(), size: query('size') },
  args: RepliesArgs,
  result: rootField('replies'),
  errors: ['COMMENT_NOT_FOUND'],
  validator: { of: 'thread', id: 'commentId', stampInQuery: true },
};

const listOwnComments: Endpoint = {
  method: 'GET',
  path: '/comments/me',
  group: 'Comment',
  summary: 'List the comments and replies that you wrote, newest first',
  description: 'Authentication required. Each has the IDs of its article and, for a reply, of its parent comment.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `query ($page: Int, $size: Int) {
    myComments(page: $page, size: $size) { contents { ...PlacedComment } pagination { ...Pagination } }
  } ${PLACED_COMMENT} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('myComments'),
  errors: [],
};

const listReceivedComments: Endpoint = {
  method: 'GET',
  path: '/comments/me/received',
  group: 'Comment',
  summary: 'List comments and replies by others on your articles, newest first',
  description: 'Authentication required. Covers all of your articles and excludes your own comments and replies.',
  example: { page: 1, size: 10 },
  auth: 'bearer',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `query ($page: Int, $size: Int) {
    receivedComments(page: $page, size: $size) { contents { ...PlacedComment } pagination { ...Pagination } }
  } ${PLACED_COMMENT} ${PAGINATION}`,
  variables: { page: pageNumber(), size: query('size') },
  args: PageArgs,
  result: rootField('receivedComments'),
  errors: [],
};

export const commentEndpoints = [listComments, listReplies, listOwnComments, listReceivedComments];
