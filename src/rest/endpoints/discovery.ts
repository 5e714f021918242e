/** The archive by month, and related articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { path, query } from '../engine/source.js';
import { RELATED_ARTICLE } from './article-shapes.js';

const ARCHIVE_MONTH = shape({
  fragment: 'fragment ArchiveMonth on ArchiveMonth { year month articleCount }',
  description: 'A month (UTC), with the number of public articles that were published in it.',
  example: { year: 2026, month: 11, articleCount: 12 },
});

const readArchive: Endpoint = {
  method: 'GET',
  path: '/articles/archive',
  group: 'Article',
  summary: 'List the months with articles',
  description:
    'No authentication required. The months (UTC) in which public articles were published, latest first, of all members or of one. `from` and `to` of the ' +
    'list of articles select those of a month.',
  example: { memberId: 1 },
  operation: `query ($memberId: ID) { articleArchive(memberId: $memberId) { ...ArchiveMonth } } ${ARCHIVE_MONTH}`,
  variables: { memberId: query('memberId') },
};

const listRelated: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/related',
  group: 'Article',
  summary: 'List related articles',
  description:
    'No authentication required, except for a private article of yours. Public articles with the most tags in common; of these, the ones with the most ' +
    'words of the title in common, then the newest ones. May be empty.',
  example: { articleId: 1, size: 5 },
  operation: `query ($articleId: ID!, $size: Int) {
    relatedArticles(articleId: $articleId, size: $size) { ...RelatedArticle }
  } ${RELATED_ARTICLE}`,
  variables: { articleId: path('articleId'), size: query('size') },
  errors: ['ARTICLE_NOT_FOUND'],
};

export const discoveryEndpoints = [readArchive, listRelated];
