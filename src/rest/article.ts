/** Articles, over REST. */
import { IdArgs } from '../schema/id.js';
import { type Endpoint, rootField } from './endpoint.js';
import { ARTICLE_DETAIL } from './shapes.js';
import { field, object, path } from './source.js';

const createArticle: Endpoint = {
  method: 'POST',
  path: '/articles',
  group: 'Article',
  summary: 'Write an article',
  auth: 'bearer',
  status: 201,
  message: 'Article created.',
  body: 'json',
  operation: `mutation ($input: CreateArticleInput!) { createArticle(input: $input) { ...ArticleDetail } } ${ARTICLE_DETAIL}`,
  variables: {
    input: object({
      title: field('title'),
      content: field('content'),
      category: field('category'),
      tags: field('tags'),
    }),
  },
  result: rootField('createArticle'),
  errors: ['CATEGORY_NOT_FOUND'],
};

const readArticle: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}',
  group: 'Article',
  summary: 'Read an article',
  auth: 'none',
  status: 200,
  message: 'OK',
  body: 'none',
  operation: `query ($id: ID!) { article(id: $id) { ...ArticleDetail } } ${ARTICLE_DETAIL}`,
  variables: { id: path('articleId') },
  args: IdArgs,
  result: rootField('article'),
  errors: ['ARTICLE_NOT_FOUND'],
};

export const articleEndpoints = [createArticle, readArticle];
