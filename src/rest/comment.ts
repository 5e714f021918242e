/** Comments and replies, over REST. */
import { CommentsArgs } from '../schema/comment.js';
import { RepliesArgs, UpdateCommentArgs } from '../schema/comment-list.js';
import { IdArgs } from '../schema/id.js';
import { PageArgs } from '../schema/page.js';
import { type Endpoint, nothing, rootField } from './endpoint.js';
import { COMMENT, PAGINATION, PLACED_COMMENT, REPLY } from './shapes.js';
import { field, idOrZero, object, pageNumber, path, query } from './source.js';

const listComments: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: "List an article's comments, newest first, each with its replies",
  description:
    'Everybody may. A comment carries its replies, oldest first and at most a hundred; a deleted one keeps its ' +
    'place while it has replies.',
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
  validator: { of: 'discussion', id: 'articleId', comesAlong: true },
};

const createComment: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: 'Comment on an article, or reply to a comment',
  description:
    'With `parentCommentId` it is a reply to that comment; replies are one level deep. The author of the ' +
    'article, or of the comment, is notified.',
  example: { articleId: 1, content: 'Is there a train that goes there?', parentCommentId: 1 },
  auth: 'bearer',
  status: 201,
  message: 'commentCreated',
  body: 'json',
  operation: `mutation ($input: CreateCommentInput!) { createComment(input: $input) { ...Reply } } ${REPLY}`,
  variables: {
    input: object({
      articleId: path('articleId'),
      content: field('content'),
      parentId: idOrZero('parentCommentId'),
    }),
  },
  result: rootField('createComment'),
  errors: ['ARTICLE_NOT_FOUND', 'COMMENT_NOT_FOUND', 'REPLY_TOO_DEEP'],
};

const deleteComment: Endpoint = {
  method: 'DELETE',
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Delete your comment',
  description:
    'Only its author may. Where it has replies, its place is kept under `(deleted)` until the last of them goes.',
  example: { commentId: 2 },
  auth: 'bearer',
  status: 200,
  message: 'commentDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteComment(id: $id) { id } }',
  variables: { id: path('commentId') },
  args: IdArgs,
  result: nothing,
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

const listReplies: Endpoint = {
  method: 'GET',
  path: '/comments/{commentId}/replies',
  group: 'Comment',
  summary: 'List the replies to a comment, oldest first',
  description: 'Everybody may. For what does not fit into the hundred replies that come with the comment.',
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
  validator: { of: 'thread', id: 'commentId', comesAlong: true },
};

const listOwnComments: Endpoint = {
  method: 'GET',
  path: '/comments/me',
  group: 'Comment',
  summary: 'List the comments and replies that you wrote, newest first',
  description: 'Each with the article, and the comment that it replies to. Only you see this list.',
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
  summary: 'List what others wrote on your articles, newest first',
  description: 'Comments and replies by others on everything you wrote, without your own. Only you see this list.',
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

const updateComment: Endpoint = {
  method: 'PATCH',
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Change the words of your comment',
  description: 'Only its author may. Nobody is notified again.',
  example: { commentId: 2, content: 'The one at Ulgi, on the east coast.' },
  auth: 'bearer',
  status: 200,
  message: 'commentChanged',
  body: 'json',
  operation: `mutation ($id: ID!, $content: String!) { updateComment(id: $id, content: $content) { ...Reply } } ${REPLY}`,
  variables: { id: path('commentId'), content: field('content') },
  args: UpdateCommentArgs,
  result: rootField('updateComment'),
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

export const commentEndpoints = [
  listComments,
  createComment,
  listReplies,
  listOwnComments,
  listReceivedComments,
  updateComment,
  deleteComment,
];
