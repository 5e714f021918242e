/** The publication of drafts, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { ARTICLE_DETAIL } from './article-shapes.js';
import { DRAFT } from './draft.js';
import { FUTURE } from './shapes.js';

const ERRORS = [
  'ARTICLE_FORBIDDEN',
  'DRAFT_NOT_FOUND',
  'PRECONDITION_FAILED',
  'SLUG_TAKEN',
  'REVISION_CONFLICT',
  'TRANSLATION_EXISTS',
] as const;

const publishDraft: Endpoint = {
  method: 'POST',
  path: '/drafts/{draftId}/publish',
  summary: 'Publish one of your drafts',
  description:
    'Author only. The draft becomes an article, or an edit of its article, and ends: a repeated request is 404, or with an Idempotency-Key the ' +
    'response of the first one. 400 names every field that an article lacks; 409 means that the article is no longer at `baseRevision`.',
  example: { draftId: 2 },
  isRevisioned: true,
  message: 'draftPublished',
  operation: ['publishDraft', ARTICLE_DETAIL],
  errors: ['ARTICLE_NOT_FOUND', 'BLOCKED', ...ERRORS],
};

const scheduleDraft: Endpoint = {
  method: 'PUT',
  path: '/drafts/{draftId}/schedule',
  summary: 'Schedule the publication of one of your drafts',
  description:
    'Author only. `publishAt` is a time in UTC, one minute to 365 days ahead. Later changes of the draft keep the schedule. At its time the draft is ' +
    'published once, or stays with `publicationError`; a notification reports it.',
  example: { draftId: 2, publishAt: FUTURE },
  isRevisioned: true,
  message: 'draftScheduled',
  operation: ['scheduleDraft', DRAFT],
  errors: ERRORS,
};

const unscheduleDraft: Endpoint = {
  method: 'DELETE',
  path: '/drafts/{draftId}/schedule',
  summary: 'Remove the schedule of one of your drafts',
  description: 'Author only. Idempotent. Also removes `publicationError`.',
  example: { draftId: 2 },
  isRevisioned: true,
  message: 'draftUnscheduled',
  operation: ['unscheduleDraft', DRAFT],
  errors: ['DRAFT_NOT_FOUND', 'PRECONDITION_FAILED'],
};

export const publicationEndpoints = [publishDraft, scheduleDraft, unscheduleDraft];
