/** Writing articles, over REST. */
import { IdArgs } from '../../schema/id.js';
import { type Endpoint, nothing, rootField } from '../engine/endpoint.js';
import { field, file, object, path } from '../engine/source.js';
import { ARTICLE_DETAIL } from './shapes.js';

const createArticle: Endpoint = {
  method: 'POST',
  path: '/articles',
  group: 'Article',
  summary: 'Write an article',
  description:
    'Files the article in one of your categories, the default one where none is named. Sent as multipart, it can ' +
    'bring an image in the part `file`.',
  example: {
    title: 'The path along the cliffs',
    content: 'It starts behind the harbour.\n\nTake water with you: **there is none** on the way.',
    category: 'Travel',
    tags: ['sea', 'walking'],
  },
  auth: 'bearer',
  status: 201,
  message: 'articleCreated',
  body: 'multipart',
  operation: `mutation ($input: CreateArticleInput!) { createArticle(input: $input) { ...ArticleDetail } } ${ARTICLE_DETAIL}`,
  variables: {
    input: object({
      title: field('title'),
      content: field('content'),
      category: field('category'),
      tags: field('tags'),
      image: file(),
    }),
  },
  result: rootField('createArticle'),
  errors: ['CATEGORY_NOT_FOUND', 'IMAGE_INVALID'],
};

const updateArticle: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}',
  group: 'Article',
  summary: 'Edit your article',
  description:
    'Only the author may. Title and content are replaced, everything else that is absent stays; with `version`, ' +
    'an edit of what has changed meanwhile is refused instead of undoing that.',
  example: {
    articleId: 1,
    title: 'A morning at the lighthouse',
    content: 'The fog lifts at nine, and there it is.\n\nWe stayed until noon.',
    tags: ['sea', 'autumn'],
  },
  auth: 'bearer',
  status: 200,
  message: 'articleChanged',
  body: 'multipart',
  operation: `mutation ($id: ID!, $input: UpdateArticleInput!) {
    updateArticle(id: $id, input: $input) { ...ArticleDetail }
  } ${ARTICLE_DETAIL}`,
  variables: {
    id: path('articleId'),
    input: object({
      title: field('title'),
      content: field('content'),
      category: field('category'),
      tags: field('tags'),
      version: field('version'),
      removeImage: field('removeImage'),
      image: file(),
    }),
  },
  args: IdArgs,
  result: rootField('updateArticle'),
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'CATEGORY_NOT_FOUND', 'IMAGE_INVALID', 'VERSION_CONFLICT'],
};

const deleteArticle: Endpoint = {
  method: 'DELETE',
  path: '/articles/{articleId}',
  group: 'Article',
  summary: 'Delete your article with its comments',
  description: 'Only the author may. Comments, replies and the notifications of them go with it; there is no way back.',
  example: { articleId: 1 },
  auth: 'bearer',
  status: 200,
  message: 'articleDeleted',
  body: 'none',
  operation: 'mutation ($id: ID!) { deleteArticle(id: $id) { id } }',
  variables: { id: path('articleId') },
  args: IdArgs,
  result: nothing,
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

export const articleWriteEndpoints = [createArticle, updateArticle, deleteArticle];
