/** Writing articles, over REST. */
import type { Endpoint } from '../engine/endpoint.js';
import { ARTICLE_DETAIL, ARTICLE_PREVIEW } from './article-shapes.js';

const createArticle: Endpoint = {
  method: 'POST',
  path: '/articles',
  summary: 'Create an article',
  description:
    'Authentication required. `category` is the name of one of your categories; if it is omitted, the article is added ' +
    'to your default category. With `visibility` PRIVATE, the article exists only for you. A multipart request can include an image in the part `file`, and `articleImgAlt` describes it.',
  example: {
    title: 'The path along the cliffs',
    content: 'It starts behind the harbor.\n\nTake water with you: **there is none** on the way.',
    category: 'Travel',
    tags: ['sea', 'walking'],
    visibility: 'PUBLIC',
  },
  isRevisioned: true,
  status: 201,
  message: 'articleCreated',
  operation: ['createArticle', ARTICLE_DETAIL],
  errors: ['ARTICLE_NOT_FOUND', 'BLOCKED', 'CATEGORY_NOT_FOUND', 'IMAGE_INVALID', 'SLUG_TAKEN', 'TRANSLATION_EXISTS'],
};

const updateArticle: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}',
  summary: 'Update your article',
  description:
    'Author only. Omitted fields keep their values, except title and content, which are required; replacing or removing ' +
    'the image removes its alternative text, unless the request contains a new one. Send `If-Match` with the ETag of your ' +
    'last response, so that you do not undo an edit that you have not read.',
  example: {
    articleId: 1,
    title: 'A morning at the lighthouse',
    content: 'The fog lifts at nine, and there it is.\n\nWe stayed until noon.',
    tags: ['sea', 'autumn'],
  },
  isRevisioned: true,
  message: 'articleChanged',
  operation: ['updateArticle', ARTICLE_DETAIL],
  errors: [
    'ARTICLE_FORBIDDEN',
    'ARTICLE_NOT_FOUND',
    'BLOCKED',
    'CATEGORY_NOT_FOUND',
    'IMAGE_INVALID',
    'PRECONDITION_FAILED',
    'SLUG_TAKEN',
    'TRANSLATION_EXISTS',
  ],
};

const setVisibility: Endpoint = {
  method: 'PUT',
  path: '/articles/{articleId}/visibility',
  summary: 'Make your article public or private',
  description:
    'Author only. A private article exists only for its author: everyone else gets the 404 of an unknown ID, and no list, total, feed or ' +
    'search contains it. Comments of others stay stored; notifications of others about the article are deleted. The change is an ' +
    'edit, and keeps `createdAt`; without a difference, nothing is written. Images keep their URLs.',
  example: { visibility: 'PUBLIC' },
  isRevisioned: true,
  message: 'articleChanged',
  operation: ['setVisibility', ARTICLE_DETAIL],
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'PRECONDITION_FAILED', 'SLUG_TAKEN'],
};

const deleteArticle: Endpoint = {
  method: 'DELETE',
  path: '/articles/{articleId}',
  summary: 'Delete your article with its comments',
  description: 'Author only. Also deletes all replies, and the notifications about the article. This cannot be undone.',
  message: 'articleDeleted',
  operation: 'deleteArticle',
  errors: ['ARTICLE_FORBIDDEN', 'ARTICLE_NOT_FOUND', 'PRECONDITION_FAILED'],
};

const previewArticle: Endpoint = {
  method: 'POST',
  path: '/articles/preview',
  summary: 'Preview a text as the HTML of an article',
  description:
    'Authentication required. The HTML is that of an article with this content: sanitized, with the sizes of uploaded images. ' +
    'Nothing is stored. At most three previews of a member are rendered at once.',
  example: { content: 'The fog lifts at **nine**.' },
  operation: ['previewArticle', ARTICLE_PREVIEW],
};

export const articleWriteEndpoints = [previewArticle, createArticle, updateArticle, setVisibility, deleteArticle];
