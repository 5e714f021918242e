/** Summaries of articles, over REST. */
import { IdArgs } from '../../schema/id.js';
import { RequestSummaryArgs } from '../../schema/summary.js';
import { type Endpoint, rootField } from '../engine/endpoint.js';
import { path } from '../engine/source.js';
import { SUMMARY } from './shapes.js';

const readSummary: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/summary',
  group: 'Article',
  summary: 'Read the summary of an article',
  description:
    'Everybody may. The summary is made in the background after each change of the content; until then it is ' +
    'null, or the one before.',
  example: { articleId: 1 },
  auth: 'none',
  status: 200,
  message: 'ok',
  body: 'none',
  operation: `query ($id: ID!) { articleSummary: article(id: $id) { ...Summary } } ${SUMMARY}`,
  variables: { id: path('articleId') },
  args: IdArgs,
  result: rootField('articleSummary'),
  errors: ['ARTICLE_NOT_FOUND'],
  // The operation reads the article first, and the article row does not contain the status of the summary.
  validator: { of: 'summary', id: 'articleId', comesAlong: false },
};

const requestSummary: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/summary',
  group: 'Article',
  summary: 'Ask for the summary of your article again',
  description:
    'Only the author may. It is made in the background, and a notification tells of it; while one is on its way ' +
    'already, nothing changes.',
  example: { articleId: 1 },
  auth: 'bearer',
  status: 202,
  message: 'summaryRequested',
  body: 'none',
  operation: `mutation ($articleId: ID!) { requestSummary(articleId: $articleId) { ...Summary } } ${SUMMARY}`,
  variables: { articleId: path('articleId') },
  args: RequestSummaryArgs,
  result: rootField('requestSummary'),
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

export const summaryEndpoints = [readSummary, requestSummary];
