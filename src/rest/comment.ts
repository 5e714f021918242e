/** Comments and replies, over REST. */
import { CommentsArgs } from '../schema/comment.js';
import { IdArgs } from '../schema/id.js';
import { type Endpoint, nothing, rootField } from './endpoint.js';
import { COMMENT, PAGINATION, REPLY } from './shapes.js';
import { field, idOrZero, object, pageNumber, path, query } from './source.js';

const listComments: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: "List an article's comments, newest first, each with its replies",
  auth: 'none',
  status: 200,
  message: 'OK',
  body: 'none',
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    comments(articleId: $id, page: $page, size: $size) { contents { ...Comment } pagination { ...Pagination } }
  } ${COMMENT} ${PAGINATION}`,
  variables: { id: path('articleId'), page: pageNumber(), size: query('size') },
  args: CommentsArgs,
  result: rootField('comments'),
  errors: ['ARTICLE_NOT_FOUND'],
};

const createComment: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/comments',
  group: 'Comment',
  summary: 'Comment on an article, or reply to a comment',
  auth: 'bearer',
  status: 201,
  message: 'Comment created.',
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
  auth: 'bearer',
  status: 200,
  message: 'Comment deleted.',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteComment(id: $id) { id } }',
  variables: { id: path('commentId') },
  args: IdArgs,
  result: nothing,
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

export const commentEndpoints = [listComments, createComment, deleteComment];
