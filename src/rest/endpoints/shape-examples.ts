/**
 * The description and an example of each response component; the API reference composes its example responses from these. A field
 * that an example lacks is completed from its own example (`@Extensions({ example })` in the schema) or that of its component.
 */
type Example = Readonly<Record<string, unknown>>;

interface ShapeDoc {
  readonly description: string;
  readonly example: Example;
}

const TIMES = { createdAt: '2026-11-20T09:30:00', updatedAt: '2026-11-20T09:30:00' };

const REPLY: Example = {
  id: 2,
  content: 'The one at Ulgi, on the east coast.',
  author: 'mina',
  memberId: 1,
  createdAt: '2026-11-20T10:05:12',
  updatedAt: '2026-11-20T10:05:12',
};

const IMAGE_URL = 'https://journal.example.org/images/7f83b1657ff1fc53b92dc18148a1d65d';
const IMAGE_SIZE: Example = { url: `${IMAGE_URL}-320.webp`, width: 320 };

const ARTICLE: Example = {
  id: 1,
  title: 'A morning at the lighthouse',
  excerpt: 'The fog lifts at nine, and there it is.',
  author: 'mina',
  authorImg: null,
  memberId: 1,
  category: 'Travel',
  categoryId: 3,
  articleImg: `${IMAGE_URL}.webp`,
  articleImgAlt: 'A lighthouse in the fog.',
  articleImgSizes: [IMAGE_SIZE],
  tags: ['sea', 'autumn'],
  commentCount: 3,
  ...TIMES,
};

const API_TOKEN = {
  id: '0b7f6c7e-3f0a-4c59-8a55-6b1a4a0d7c52',
  name: 'Static site',
  scopes: ['read', 'articles'],
  createdAt: TIMES.createdAt,
  expiresAt: '2027-11-20T09:30:00',
  lastUsedAt: '2026-11-20T10:05:00',
} satisfies Example;

const CLIENT: Example = { device: 'Mozilla/5.0 (X11; Linux x86_64)', address: '203.0.113.7' };

const CHALLENGE = 'q2Yb3XoWkq7aEw2Zk9f0l5S8uC1hJtN6pR4vM0xTgVYAAAGTTZ2w4JmQ';

const SUMMARY = 'The fog hides the lighthouse until nine.';

const SHAPES: Readonly<Record<string, ShapeDoc>> = {
  Article: {
    description: 'An article in a list, with an excerpt of its content. Times are in UTC.',
    example: {
      ...ARTICLE,
      content: 'The fog lifts at nine, and there it is.',
      contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n',
    },
  },
  ArticlePreview: {
    description: 'A text as the HTML that an article with this content has.',
    example: { contentHtml: '<p>The fog lifts at <strong>nine</strong>.</p>\n' },
  },
  ArticleDetail: {
    description: 'An article with its full content. Times are in UTC.',
    example: { ...ARTICLE, content: 'The fog lifts at nine, and there it is.', aiSummary: SUMMARY, version: 1 },
  },
  Category: { description: 'A category of a member.', example: { id: 3, categoryName: 'Travel', memberId: 1 } },
  Comment: {
    description: 'A top-level comment with its first 100 replies, oldest first. Times are in UTC.',
    example: { id: 1, content: 'Which lighthouse is it?', author: 'jun', memberId: 2, ...TIMES },
  },
  CommentOnPage: {
    description: 'A comment or reply, with the page of its article that it is on. Times are in UTC.',
    example: { ...REPLY, articleId: 1, parentId: 1, page: 1 },
  },
  CommentVisibility: { description: 'Whether a comment is hidden.', example: { commentId: 1, hidden: true } },
  CountedCategory: {
    description: 'A category of a member, with the number of articles in it.',
    example: { id: 3, categoryName: 'Travel', articleCount: 12 },
  },
  GeneratedText: {
    description: 'The text that the AI provider generated.',
    example: { text: 'Homigot, Ulgi and Sokcho.' },
  },
  Image: {
    description: 'An image that the authenticated member uploaded for the content of articles. Times are in UTC.',
    example: {
      id: 1,
      url: `${IMAGE_URL}.webp`,
      width: 640,
      height: 480,
      type: 'image/webp',
      sizes: [IMAGE_SIZE],
      createdAt: TIMES.createdAt,
    },
  },
  ImageSize: { description: 'A smaller size of an image, in WebP.', example: IMAGE_SIZE },
  LoginProvider: { description: 'A login provider.', example: { provider: 'GOOGLE' } },
  Member: {
    description: 'The authenticated member, with private fields. Times are in UTC.',
    example: {
      id: 1,
      email: 'mina@example.org',
      emailVerified: true,
      memberName: 'Mina Kim',
      nickname: 'mina',
      profileImg: null,
      bio: 'I walk along the coast and write about it.',
      ...TIMES,
    },
  },
  Notification: {
    description: 'A notification of the authenticated member. Times are in UTC.',
    example: {
      id: 3,
      type: 'COMMENT',
      message: 'jun commented on your article “A morning at the lighthouse”.',
      articleId: 1,
      commentId: 3,
      actor: 'jun',
      read: false,
      createdAt: '2026-11-20T10:30:00',
    },
  },
  NotificationSetting: {
    description: 'Whether one notification type is enabled, and sent by email.',
    example: { type: 'REPLY', enabled: false, email: 'OFF' },
  },
  Pagination: {
    description: 'The position of a page in its list.',
    example: { currentPage: 1, pageSize: 10, totalElements: 1, totalPages: 1, last: true, first: true },
  },
  OwnComment: {
    description: 'A comment or reply by the member or on their articles, and whether it is hidden. Times are in UTC.',
    example: { ...REPLY, articleId: 1, parentId: 1, hidden: false },
  },
  Passkey: {
    description: 'A passkey of the authenticated member. Times are in UTC.',
    example: {
      id: 1,
      name: 'Phone',
      credentialId: 'AQIDBAUGBwgJCgsMDQ4PEA',
      transports: ['hybrid', 'internal'],
      backedUp: true,
      createdAt: TIMES.createdAt,
      lastUsedAt: null,
    },
  },
  PasskeyLoginOptions: {
    description: 'The options of a login with a passkey.',
    example: {
      challenge: CHALLENGE,
      timeout: 300_000,
      rpId: 'journal.example.org',
      userVerification: 'required',
    },
  },
  PasskeyRegistrationOptions: {
    description: 'The options of the registration of a passkey.',
    example: {
      rp: { id: 'journal.example.org', name: 'Daybook' },
      user: { id: 'kJm3Bf2tTkSXyXzjWd4E4g', name: 'mina@example.org', displayName: 'mina' },
      challenge: CHALLENGE,
      pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
      timeout: 300_000,
      excludeCredentials: [{ type: 'public-key', id: 'AQIDBAUGBwgJCgsMDQ4PEA', transports: ['internal'] }],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    },
  },
  PlacedComment: {
    description: 'A comment or reply, with the IDs of its article and its parent comment. Times are in UTC.',
    example: { ...REPLY, articleId: 1, parentId: 1 },
  },
  Profile: {
    description: 'The public profile of a member. Times are in UTC.',
    example: {
      id: 1,
      nickname: 'mina',
      bio: 'I walk along the coast and write about it.',
      profileImg: null,
      createdAt: TIMES.createdAt,
    },
  },
  RenderedArticle: {
    description: 'The content of an article as HTML.',
    example: { articleId: 1, contentHtml: '<p>The fog lifts at nine, and there it is.</p>\n' },
  },
  Reply: { description: 'A comment or reply, without replies to it. Times are in UTC.', example: REPLY },
  SecurityEvent: {
    description: 'A security event of the account of the authenticated member. Times are in UTC.',
    example: { id: 7, kind: 'LOGIN', provider: null, ...CLIENT, createdAt: TIMES.createdAt },
  },
  ApiToken: {
    description: 'An API token of the authenticated member, without the token itself. Times are in UTC.',
    example: API_TOKEN,
  },
  CreatedApiToken: {
    description: 'A new API token. Times are in UTC.',
    example: { ...API_TOKEN, lastUsedAt: null, token: 'dbk_0000000000000000000000000000000000000000000000000' },
  },
  Session: {
    description: 'A session of the authenticated member. Times are in UTC.',
    example: {
      id: '7c4a4e1c-6b0f-4d83-9a53-2f1f6b9d0c11',
      ...CLIENT,
      createdAt: TIMES.createdAt,
      lastUsedAt: '2026-11-20T10:05:12',
      current: true,
    },
  },
  SocialAccount: {
    description: 'A social account that is linked to the account of the authenticated member. Times are in UTC.',
    example: { id: 1, provider: 'GOOGLE', email: 'mina@example.com', createdAt: TIMES.createdAt },
  },
  SocialLoginUrl: {
    description: 'The start of a social login.',
    example: {
      url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=daybook&state=af0ifjsldkj',
      state: 'af0ifjsldkj',
      codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
  Style: {
    description: 'A custom style of the authenticated member. Times are in UTC.',
    example: {
      id: 1,
      name: 'Harbor radio',
      role: 'a radio presenter',
      instruction: 'Cheerful, and never longer than a minute.',
      ...TIMES,
    },
  },
  StyledText: {
    description: 'A text that was rewritten in another style.',
    example: { transformedContent: 'Wait until nine, and you will see it!', writingStyle: 'FRIENDLY' },
  },
  Summary: {
    description: 'The summary of an article and its status.',
    example: { articleId: 1, aiSummary: SUMMARY, status: 'COMPLETED' },
  },
  Tag: {
    description: 'A tag, with the number of articles that have it.',
    example: { name: 'sea', articleCount: 12 },
  },
  Tokens: {
    description: 'The tokens of a session.',
    example: {
      accessToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl',
      refreshToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJlZnJlc2grand0In0.eyJzdWIiOiIxIn0.bm90IGEgc2lnbmF0dXJl',
    },
  },
};

/** The description and example of a component, which the GraphQL schema does not have. @throws Error for an unknown shape */
export function shapeDoc(shape: string): ShapeDoc {
  const doc = SHAPES[shape];
  if (!doc) throw new Error(`src/rest/endpoints/shape-examples.ts does not describe ${shape}`);
  return doc;
}
