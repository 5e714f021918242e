/** The earlier states of drafts, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { REVISION, REVISION_DETAIL } from './revision.js';

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
  description: 'Author only. To restore it, save its title, content and tags.',
  example: { number: 1 },
  operation: ['draftRevision', REVISION_DETAIL],
  errors: ['DRAFT_NOT_FOUND', 'REVISION_NOT_FOUND'],
};

export const draftRevisionEndpoints = [listDraftRevisions, readDraftRevision];
