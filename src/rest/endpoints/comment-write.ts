/** Writing comments and replies, over REST. */
import { UpdateCommentArgs } from '../../schema/comment-list.js';
import { IdArgs } from '../../schema/id.js';
import { type Endpoint, nothing, rootField } from '../engine/endpoint.js';
import { field, idOrZero, object, path } from '../engine/source.js';
import { REPLY } from './shapes.js';

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

const updateComment: Endpoint = {
  method: 'PATCH',
  path: '/comments/{commentId}',
  group: 'Comment',
  summary: 'Update the content of your comment',
  description: 'Author only. Sends no further notifications.',
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

const deleteComment: Endpoint = {
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
  errors: ['COMMENT_FORBIDDEN', 'COMMENT_NOT_FOUND'],
};

export const commentWriteEndpoints = [createComment, updateComment, deleteComment];
