/** The earlier states of drafts, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { pageNumber, path, query } from '../engine/source.js';
import { REVISION, REVISION_DETAIL } from './revision.js';
import { PAGINATION } from './shapes.js';

const listDraftRevisions: Endpoint = {
  method: 'GET',
  path: '/drafts/{draftId}/revisions',
  summary: 'List the earlier states of your draft, newest first',
  description:
    'Author only. A save stores the state that it replaces if the draft last stored one ten minutes ago. The newest 20 are kept, until the ' +
    'draft is published or deleted. `number` is the revision of that state.',
  example: { draftId: 1, page: 1, size: 10 },
  operation: `query ($id: ID!, $page: Int, $size: Int) {
    draftRevisions(draftId: $id, page: $page, size: $size) { contents { ...Revision } pagination { ...Pagination } }
  } ${REVISION} ${PAGINATION}`,
  variables: { id: path('draftId'), page: pageNumber(), size: query('size') },
  errors: ['DRAFT_NOT_FOUND'],
};

const readDraftRevision: Endpoint = {
  method: 'GET',
  path: '/drafts/{draftId}/revisions/{number}',
  summary: 'Read an earlier state of your draft',
  description: 'Author only. To restore it, save its title, content and tags.',
  example: { draftId: 1, number: 1 },
  operation: `query ($id: ID!, $number: Int!) {
    draftRevision(draftId: $id, number: $number) { ...RevisionDetail }
  } ${REVISION_DETAIL}`,
  variables: { id: path('draftId'), number: path('number') },
  errors: ['DRAFT_NOT_FOUND', 'REVISION_NOT_FOUND'],
};

export const draftRevisionEndpoints = [listDraftRevisions, readDraftRevision];
