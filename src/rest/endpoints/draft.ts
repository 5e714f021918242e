/** Drafts, over REST. */
import { METADATA_NAMES } from '../../models/article/metadata.js';
import type { Endpoint } from '../engine/endpoint.js';
import { shape } from '../engine/shape.js';
import { IMAGE_SIZE, IMAGE_SIZE_EXAMPLE, IMAGE_URL, TIMES } from './shapes.js';

const DRAFT_FIELDS = `id articleId title ${METADATA_NAMES.join(' ')} category tags slug visibility articleImg articleImgAlt articleImgWidth articleImgHeight
  articleImgSizes { ...ImageSize } imageId translationOf publishedAt publishAt publicationError baseRevision revision createdAt updatedAt`;

const DRAFT_EXAMPLE = {
  id: 1,
  articleId: null,
  title: 'The lighthouse at night',
  category: 'General',
  tags: ['sea'],
  slug: null,
  visibility: 'PUBLIC',
  articleImg: `${IMAGE_URL}.webp`,
  articleImgAlt: 'A lighthouse in the fog.',
  articleImgWidth: 400,
  articleImgHeight: 300,
  articleImgSizes: [IMAGE_SIZE_EXAMPLE],
  imageId: 2,
  translationOf: null,
  publishedAt: null,
  publishAt: null,
  publicationError: null,
  baseRevision: null,
  revision: 1,
  ...TIMES,
};

const TEXT = 'The light turns once in nine seconds.';

export const DRAFT = shape({
  fragment: `fragment Draft on Draft { ${DRAFT_FIELDS} content } ${IMAGE_SIZE}`,
  description: 'A draft of the authenticated member. Times are in UTC.',
  example: { ...DRAFT_EXAMPLE, content: TEXT },
});

const LISTED_DRAFT = shape({
  fragment: `fragment ListedDraft on Draft { ${DRAFT_FIELDS} excerpt } ${IMAGE_SIZE}`,
  description: 'A draft in a list, with an excerpt of its content. Times are in UTC.',
  example: { ...DRAFT_EXAMPLE, excerpt: TEXT },
});

const SAVED_DRAFT = shape({
  fragment: `fragment SavedDraft on Draft { ${DRAFT_FIELDS} } ${IMAGE_SIZE}`,
  description: 'A draft after a save, without its content. Times are in UTC.',
  example: DRAFT_EXAMPLE,
});

const listDrafts: Endpoint = {
  method: 'GET',
  path: '/drafts',
  summary: 'List your drafts',
  description:
    'Authentication required. The last changed one first. `scheduled` limits the list to drafts with or without a schedule.',
  example: { scheduled: false },
  operation: ['drafts', LISTED_DRAFT],
};

const createDraft: Endpoint = {
  method: 'POST',
  path: '/drafts',
  summary: 'Create a draft of a new article',
  description:
    'Authentication required. All fields may be absent or empty. `category` is the name of one of your categories, `imageId` one of your ' +
    'uploaded images. At most 200 drafts per member.',
  example: { title: 'The lighthouse at night', content: TEXT, category: 'General', tags: ['sea'] },
  isRevisioned: true,
  status: 201,
  message: 'draftCreated',
  operation: ['createDraft', DRAFT],
  errors: ['ARTICLE_NOT_FOUND', 'CATEGORY_NOT_FOUND', 'DRAFT_LIMIT_REACHED', 'IMAGE_NOT_FOUND', 'RESPONSE_REMOVED'],
};

const readDraft: Endpoint = {
  method: 'GET',
  path: '/drafts/{draftId}',
  summary: 'Read one of your drafts',
  description: 'Author only: drafts of other members are not found.',
  isRevisioned: true,
  operation: ['draft', DRAFT],
  errors: ['DRAFT_NOT_FOUND'],
};

const updateDraft: Endpoint = {
  method: 'PATCH',
  path: '/drafts/{draftId}',
  summary: 'Save one of your drafts',
  description:
    'Author only. Absent fields keep their values; an empty `category` or `slug` clears it. Without a difference, nothing is written and the ' +
    'revision stays. Send `If-Match` with the ETag of your last response, so that another window does not lose its changes. The response does not ' +
    'contain the content. An API token without the scope `articles` cannot change a draft that is scheduled or has a share link.',
  example: { content: 'The light turns once in nine seconds. I counted.' },
  isRevisioned: true,
  message: 'draftSaved',
  operation: ['updateDraft', SAVED_DRAFT],
  errors: [
    'ARTICLE_NOT_FOUND',
    'CATEGORY_NOT_FOUND',
    'DRAFT_LIMIT_REACHED',
    'DRAFT_NOT_FOUND',
    'IMAGE_NOT_FOUND',
    'PRECONDITION_FAILED',
    'RESPONSE_REMOVED',
  ],
};

const deleteDraft: Endpoint = {
  method: 'DELETE',
  path: '/drafts/{draftId}',
  summary: 'Delete one of your drafts',
  description: 'Author only. Its revisions are deleted too; the article that it is an edit of stays as it is.',
  message: 'draftDeleted',
  operation: 'deleteDraft',
  errors: ['DRAFT_NOT_FOUND', 'PRECONDITION_FAILED', 'RESPONSE_REMOVED'],
};

const startDraft: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}/draft',
  group: 'Draft',
  summary: 'Start a draft of your article, or read the existing one',
  description:
    'Author only. A new draft has the text, the category, the tags and the visibility of the article. An article has at most one draft.',
  isRevisioned: true,
  operation: ['startDraft', DRAFT],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'DRAFT_LIMIT_REACHED', 'RESPONSE_REMOVED'],
};

export const draftEndpoints = [listDrafts, createDraft, readDraft, updateDraft, deleteDraft, startDraft];
