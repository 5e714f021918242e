/** Revisions of articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { pageNumber, path, query } from '../engine/source.js';
import { ARTICLE_DETAIL } from './article-shapes.js';
import { PAGINATION, TIMES } from './shapes.js';

const EXAMPLE = { number: 1, title: 'A morning at the lighthouse', characters: 39, createdAt: TIMES.createdAt };

export const REVISION = shape({
  fragment: 'fragment Revision on Revision { number title characters createdAt }',
  description: 'An earlier state of a text, which an edit replaced. Times are in UTC.',
  example: EXAMPLE,
});

export const REVISION_DETAIL = shape({
  fragment: 'fragment RevisionDetail on RevisionDetail { number title characters createdAt content tags }',
  description: 'A revision with its content and tags. Times are in UTC.',
  example: { ...EXAMPLE, content: 'The fog lifts at nine, and it is there.', tags: ['sea'] },
});

const listRevisions: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/revisions',
  group: 'Article',
  summary: 'List the revisions of your article, newest first',
  description:
    'Author only. Each edit of the title, the content or the tags stores the state that it replaces; `number` is the version of that ' +
    'state. The newest 50 are kept (`REVISIONS_KEPT`), and of the older ones the last of each day for a year.',
  example: { articleId: 1, page: 1, size: 10 },
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    articleRevisions(articleId: $id, page: $page, size: $size) { contents { ...Revision } pagination { ...Pagination } }
  } ${REVISION} ${PAGINATION}`,
  variables: { id: path('articleId'), page: pageNumber(), size: query('size') },
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

const readRevision: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/revisions/{number}',
  group: 'Article',
  summary: 'Read a revision of your article',
  description: 'Author only. Returns the full content.',
  example: { articleId: 1, number: 1 },
  operation: `query ($id: ID!, $number: Int!) {
    articleRevision(articleId: $id, number: $number) { ...RevisionDetail }
  } ${REVISION_DETAIL}`,
  variables: { id: path('articleId'), number: path('number') },
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'REVISION_NOT_FOUND'],
};

const restoreRevision: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/revisions/{number}/restore',
  group: 'Article',
  summary: 'Restore a revision of your article',
  description:
    'Author only. An edit: the article gets the title, the content and the tags of the revision, and its current state becomes a ' +
    'revision. Without a difference nothing changes, and the version stays.',
  example: { articleId: 1, number: 1 },
  isRevisioned: true,
  message: 'revisionRestored',
  operation: `mutation ($id: ID!, $number: Int!) {
    restoreRevision(articleId: $id, number: $number) { ...ArticleDetail }
  } ${ARTICLE_DETAIL}`,
  variables: { id: path('articleId'), number: path('number') },
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'BLOCKED', 'PRECONDITION_FAILED', 'REVISION_NOT_FOUND'],
};

export const revisionEndpoints = [listRevisions, readRevision, restoreRevision];
