/** Summaries of articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { SUMMARY } from './article-shapes.js';

const readSummary: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/summary',
  summary: 'Read the summary of an article',
  description:
    'No authentication required. The summary is generated in the background. Until it is completed, the summary is null ' +
    'after a change of the content, and the previous one after a repeated request for the same content.',
  operation: `query ($id: ID!) { articleSummary: article(id: $id) { ...Summary } } ${SUMMARY}`,
  errors: ['ARTICLE_NOT_FOUND'],
  // The operation reads the article first, and the article row does not contain the status of the summary.
};

const requestSummary: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/summary',
  summary: 'Request the summary of your article again',
  description:
    'Author only. The summary is generated in the background, and a notification reports the result. The request has ' +
    'no effect while another one is pending or in progress.',
  status: 202,
  message: 'summaryRequested',
  operation: ['requestSummary', SUMMARY],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'RESPONSE_REMOVED'],
};

export const summaryEndpoints = [readSummary, requestSummary];
