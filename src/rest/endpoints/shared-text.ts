/** Share links and the texts that they lead to, over REST. */
import type { SharedKind } from '../../models/share-link.js';
import type { Endpoint } from '../engine/endpoint.js';
import { plainShape, shape } from '../engine/shape.js';
import { IMAGE_SIZE, IMAGE_SIZE_EXAMPLE, IMAGE_URL, TIMES } from './shapes.js';

const TOKEN = 'q6mCGJ5kV1pTtXcL0wF4hZbRy8sNn2eUo7iDaKxMv3E';
const EXPIRES_AT = '2026-11-27T09:30:00';

const SHARE_LINK = plainShape('ShareLink', 'The share link of a text, without its token. Times are in UTC.', {
  expiresAt: EXPIRES_AT,
});

const CREATED_SHARE_LINK = plainShape('CreatedShareLink', 'A new share link. Times are in UTC.', {
  url: `https://journal.example.org/preview#token=${TOKEN}`,
  token: TOKEN,
  expiresAt: EXPIRES_AT,
});

const SHARED_TEXT = shape({
  fragment: `fragment SharedText on SharedText {
    title content contentHtml author: authorName tags articleImg articleImgAlt articleImgWidth articleImgHeight articleImgSizes { ...ImageSize } updatedAt expiresAt
  } ${IMAGE_SIZE}`,
  description: 'A draft or an article, as a share link shows it. Times are in UTC.',
  example: {
    title: 'A morning at the lighthouse',
    content: 'The fog lifts at nine, and there it is.',
    contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n',
    author: 'mina',
    tags: ['sea', 'autumn'],
    articleImg: `${IMAGE_URL}.webp`,
    articleImgAlt: 'A lighthouse in the fog.',
    articleImgWidth: 400,
    articleImgHeight: 300,
    articleImgSizes: [IMAGE_SIZE_EXAMPLE],
    updatedAt: TIMES.updatedAt,
    expiresAt: EXPIRES_AT,
  },
});

/** The endpoints of the links of drafts, or of articles. */
function shareEndpoints(kind: SharedKind, errors: Endpoint['errors'], effect: string): Endpoint[] {
  const isDraft = kind === 'draft';
  const id = `${kind}Id`;
  const [noun, name] = isDraft ? ['a draft', 'Draft'] : ['an article', 'Article'];
  const common = {
    path: `/${kind}s/{${id}}/share`,
    group: isDraft ? 'Draft' : 'Article',
    errors: errors ?? [],
  } as const;
  return [
    {
      ...common,
      method: 'GET',
      summary: `Read when the share link of ${noun} expires`,
      description: 'Authentication required. `expiresAt` is null if there is no link.',
      operation: [`${kind}Share`, SHARE_LINK],
    },
    {
      ...common,
      method: 'POST',
      summary: `Create a share link of ${noun}`,
      description:
        `Authentication required. Anyone with the link can read the text, also its later changes, ${effect}. Replaces an earlier link. ` +
        'The response is the only one that contains the token. An Idempotency-Key is ignored.',
      example: { expiresIn: 604_800 },
      status: 201,
      message: 'shareCreated',
      operation: [`share${name}`, CREATED_SHARE_LINK],
      // For a draft: that of an article which a moderator has removed.
      errors: [...new Set([...common.errors, 'ARTICLE_FORBIDDEN' as const])],
    },
    {
      ...common,
      method: 'DELETE',
      summary: `End the share link of ${noun}`,
      description: 'Authentication required. The link is invalid immediately. No effect if there is none.',
      message: 'shareRemoved',
      operation: `unshare${name}`,
    },
  ];
}

const readSharedText: Endpoint = {
  method: 'GET',
  path: '/shared/{token}',
  summary: 'Read the text of a share link',
  description: 'No authentication required. Caches do not store the response, and search engines do not index it.',
  example: { token: TOKEN },
  isNotIndexed: true,
  operation: ['sharedText', SHARED_TEXT],
  errors: ['SHARE_NOT_FOUND'],
};

export const sharedTextEndpoints = [
  ...shareEndpoints('article', ['ARTICLE_NOT_FOUND', 'ARTICLE_FORBIDDEN'], 'whatever its visibility'),
  ...shareEndpoints('draft', ['DRAFT_NOT_FOUND'], 'until it is published or deleted'),
  readSharedText,
];
