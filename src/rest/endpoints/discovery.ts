/** The archive by month, and related articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape } from '../engine/shape.js';
import { RELATED_ARTICLE } from './article-shapes.js';

const ARCHIVE_MONTH = plainShape(
  'ArchiveMonth',
  'A month (UTC), with the number of public articles that were published in it.',
  { year: 2026, month: 11, articleCount: 12 },
);

const readArchive: Endpoint = {
  method: 'GET',
  path: '/articles/archive',
  summary: 'List the months with articles',
  description:
    'No authentication required. The months (UTC) in which public articles were published, latest first, of all members or of one. `from` and `to` of the ' +
    'list of articles select those of a month.',
  example: { memberId: 1 },
  operation: ['articleArchive', ARCHIVE_MONTH],
};

const listRelated: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/related',
  summary: 'List related articles',
  description:
    'No authentication required, except for a private article of yours. Public articles with the most tags in common; of these, the ones with the most ' +
    'words of the title in common, then the newest ones. May be empty.',
  example: { size: 5 },
  operation: ['relatedArticles', RELATED_ARTICLE],
  errors: ['ARTICLE_NOT_FOUND'],
};

export const discoveryEndpoints = [readArchive, listRelated];
