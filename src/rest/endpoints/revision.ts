/** Revisions of articles and drafts, over REST. */
import { REVISED_NAMES } from '../../models/article/metadata.js';
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { ARTICLE_DETAIL } from './article-shapes.js';
import { TIMES } from './shapes.js';

const EXAMPLE = { number: 1, title: 'A morning at the lighthouse', characters: 39, createdAt: TIMES.createdAt };

const FIELDS = `number title ${REVISED_NAMES.join(' ')} characters createdAt`;

const REVISION = shape({
  fragment: `fragment Revision on Revision { ${FIELDS} }`,
  description: 'An earlier state of a text, which an edit replaced. Times are in UTC.',
  example: EXAMPLE,
});

const REVISION_DETAIL = shape({
  fragment: `fragment RevisionDetail on RevisionDetail { ${FIELDS} content tags }`,
  description: 'A revision with its content and tags. Times are in UTC.',
  example: { ...EXAMPLE, content: 'The fog lifts at nine, and it is there.', tags: ['sea'] },
});

const listRevisions: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/revisions',
  summary: 'List the revisions of your article, newest first',
  description:
    'Author only. Each edit of the title, the description, the content or the tags stores the state that it replaces; `number` is the `revision` of that ' +
    'state. The newest 50 are kept (`REVISIONS_KEPT`), and of the older ones the last of each day for a year.',
  operation: ['articleRevisions', REVISION],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND'],
};

const readRevision: Endpoint = {
  method: 'GET',
  path: '/articles/{articleId}/revisions/{number}',
  summary: 'Read a revision of your article',
  description: 'Author only. Returns the full content.',
  example: { number: 1 },
  operation: ['articleRevision', REVISION_DETAIL],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'REVISION_NOT_FOUND'],
};

const restoreRevision: Endpoint = {
  method: 'POST',
  path: '/articles/{articleId}/revisions/{number}/restore',
  summary: 'Restore a revision of your article',
  description:
    'Author only. An edit: the article gets the title, the description, the content and the tags of the revision, and its current state becomes a ' +
    'revision. Without a difference nothing changes, and the revision stays.',
  example: { number: 1 },
  isRevisioned: true,
  message: 'revisionRestored',
  operation: ['restoreRevision', ARTICLE_DETAIL],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'BLOCKED', 'PRECONDITION_FAILED', 'REVISION_NOT_FOUND'],
};

export const revisionEndpoints = [listRevisions, readRevision, restoreRevision];

const listDraftRevisions: Endpoint = {
  method: 'GET',
  path: '/drafts/{draftId}/revisions',
  summary: 'List the earlier states of your draft, newest first',
  description:
    'Author only. A save stores the state that it replaces if the draft last stored one ten minutes ago. The newest 20 are kept, until the ' +
    'draft is published or deleted. `number` is the revision of that state.',
  operation: ['draftRevisions', REVISION],
  errors: ['DRAFT_NOT_FOUND'],
};

const readDraftRevision: Endpoint = {
  method: 'GET',
  path: '/drafts/{draftId}/revisions/{number}',
  summary: 'Read an earlier state of your draft',
  description: 'Author only. To restore it, save its title, description, content and tags.',
  example: { number: 1 },
  operation: ['draftRevision', REVISION_DETAIL],
  errors: ['DRAFT_NOT_FOUND', 'REVISION_NOT_FOUND'],
};

export const draftRevisionEndpoints = [listDraftRevisions, readDraftRevision];
