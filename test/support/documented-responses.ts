/** Requests for every documented response of the article, category, comment, member and notification endpoints. */
import { randomUUID } from 'node:crypto';
import { buildApiToken } from './api-tokens.js';
import type { TestApp } from './app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from './build.js';
import { call, type RequestOptions } from './client.js';
import { filePart, multipart, requestPart } from './multipart.js';
import { notificationsOf } from './notifications.js';
import { ageLogins, logIn, removePassword } from './session.js';

export interface RequestCase {
  /** The value of the path parameter. */
  path?: () => string | Promise<string>;
  /** The query, including the question mark. */
  query?: string;
  options?: () => RequestOptions | Promise<RequestOptions>;
}

export interface Cast {
  app: TestApp;
  member: () => BuiltMember;
  other: () => BuiltMember;
  /** Owned by another member. */
  article: () => BuiltArticle;
  png: () => Buffer;
  commentOf: (author: BuiltMember) => Promise<number>;
}

export type RequestCases = Record<string, Record<string, RequestCase>>;

const INPUT = { title: 't', content: 'c' };
export const missingId = () => '999999';
export const invalidId = () => 'x';

export function journalRequestCases(cast: Cast): RequestCases {
  return {
    ...articles(cast),
    ...images(cast),
    ...categories(cast),
    ...comments(cast),
    ...members(cast),
    ...notifications(cast),
  };
}

/** Requests of the member. */
export function requestsBy({ member }: Cast) {
  return { json: (json: unknown) => () => ({ json, token: member().token }), token: () => ({ token: member().token }) };
}

function articles(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const own = async () => String((await buildArticle(cast.app.url, {}, cast.member())).id);
  const foreign = () => String(cast.article().id);
  const withFile = (file: string | Buffer) => () => ({
    ...multipart([requestPart(INPUT), filePart(file)]),
    token: cast.member().token,
  });
  return {
    'POST /api/articles': {
      201: { options: () => withFile(cast.png())() },
      VALIDATION_FAILED: { options: json({}) },
      IMAGE_INVALID: { options: withFile('x') },
      CATEGORY_NOT_FOUND: { options: json({ ...INPUT, category: 'None' }) },
    },
    'POST /api/articles/preview': {
      200: { options: json({ content: 'c' }) },
      VALIDATION_FAILED: { options: json({}) },
    },
    'GET /api/articles/{articleId}/rendered': {
      200: { path: foreign },
      VALIDATION_FAILED: { path: invalidId },
      ARTICLE_NOT_FOUND: { path: missingId },
    },
    'GET /api/tags': { 200: {}, VALIDATION_FAILED: { query: '?size=0' } },
    'GET /api/articles': { 200: {}, VALIDATION_FAILED: { query: '?size=0' } },
    'GET /api/articles/me': { 200: { options: token }, VALIDATION_FAILED: { query: '?size=0', options: token } },
    'PUT /api/articles/{articleId}': {
      200: { path: own, options: json(INPUT) },
      VALIDATION_FAILED: { path: own, options: json({}) },
      IMAGE_INVALID: { path: own, options: withFile('x') },
      ARTICLE_FORBIDDEN: { path: foreign, options: json(INPUT) },
      ARTICLE_NOT_FOUND: { path: missingId, options: json(INPUT) },
      CATEGORY_NOT_FOUND: { path: own, options: json({ ...INPUT, category: 'None' }) },
      VERSION_CONFLICT: { path: own, options: json({ ...INPUT, version: 9 }) },
    },
    'GET /api/articles/{articleId}/summary': {
      200: { path: foreign },
      VALIDATION_FAILED: { path: invalidId },
      ARTICLE_NOT_FOUND: { path: missingId },
    },
    'POST /api/articles/{articleId}/summary': {
      202: { path: own, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      ARTICLE_FORBIDDEN: { path: foreign, options: token },
      ARTICLE_NOT_FOUND: { path: missingId, options: token },
    },
    'DELETE /api/articles/{articleId}': {
      200: { path: own, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      ARTICLE_FORBIDDEN: { path: foreign, options: token },
      ARTICLE_NOT_FOUND: { path: missingId, options: token },
    },
  };
}

function images(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const withFile = (file: string | Buffer, token = cast.member().token) => ({ ...multipart([filePart(file)]), token });
  const build = (who: BuiltMember) => buildImage(cast.app.url, who);
  const own = async () => String((await build(cast.member())).id);
  const used = async () => {
    const { id, url } = await build(cast.member());
    await buildArticle(cast.app.url, { content: url }, cast.member());
    return String(id);
  };
  const full = async () => {
    const { id, token } = await buildMember(cast.app.url);
    await cast.app.database.sequelize.query(`insert into images (member_id, key, width, height, bytes)
      select ${id}, md5('full' || n), 1, 1, 1 from generate_series(1, 1000) n`);
    return withFile(cast.png(), token);
  };
  return {
    'POST /api/images': {
      201: { options: () => withFile(cast.png()) },
      BAD_REQUEST: { options: () => ({ ...multipart([]), token: cast.member().token }) },
      VALIDATION_FAILED: { options: () => ({ ...multipart([requestPart({})]), token: cast.member().token }) },
      IMAGE_INVALID: { options: () => withFile('x') },
      IMAGE_LIMIT_REACHED: { options: full },
      PAYLOAD_TOO_LARGE: { options: () => withFile(Buffer.alloc(10 * 1024 * 1024 + 1)) },
      UNSUPPORTED_MEDIA_TYPE: { options: json({}) },
    },
    'GET /api/images': { 200: { options: token }, VALIDATION_FAILED: { query: '?size=0', options: token } },
    'DELETE /api/images/{imageId}': {
      200: { path: own, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      IMAGE_NOT_FOUND: { path: async () => String((await build(cast.other())).id), options: token },
      IMAGE_IN_USE: { path: used, options: token },
    },
  };
}

function categories(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  let count = 0;
  const build = async (who: BuiltMember) => {
    count++;
    const response = await call(cast.app.url, 'POST /api/categories', {
      token: who.token,
      json: { categoryName: `Shelf ${count}` },
    });
    return String(response.body?.data.id);
  };
  const own = () => build(cast.member());
  const foreign = () => build(cast.other());
  const general = async () => {
    const { body } = await call(cast.app.url, 'GET /api/categories', { token: cast.member().token });
    return String(body?.data.contents[0].id);
  };
  const full = async () => {
    const member = await buildMember(cast.app.url);
    for (let number = 0; number < 20; number++) await build(member);
    return { json: { categoryName: 'One more' }, token: member.token };
  };
  const name = json({ categoryName: 'Other' });
  const onOne = (options: () => RequestOptions) => ({
    VALIDATION_FAILED: { path: invalidId, options },
    CATEGORY_FORBIDDEN: { path: foreign, options },
    CATEGORY_NOT_FOUND: { path: missingId, options },
  });
  return {
    'POST /api/categories': {
      201: { options: json({ categoryName: 'Made' }) },
      VALIDATION_FAILED: { options: json({}) },
      CATEGORY_LIMIT_REACHED: { options: full },
      CATEGORY_NAME_TAKEN: { options: json({ categoryName: 'general' }) },
    },
    'GET /api/categories': { 200: { options: token } },
    'GET /api/categories/{categoryId}': { 200: { path: own, options: token }, ...onOne(token) },
    'PUT /api/categories/{categoryId}': {
      200: { path: own, options: name },
      ...onOne(name),
      CATEGORY_NAME_TAKEN: { path: own, options: json({ categoryName: 'general' }) },
      DEFAULT_CATEGORY_FIXED: { path: general, options: name },
    },
    'DELETE /api/categories/{categoryId}': {
      200: { path: own, options: token },
      ...onOne(token),
      DEFAULT_CATEGORY_FIXED: { path: general, options: token },
    },
  };
}

function comments(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const own = async () => String(await cast.commentOf(cast.member()));
  const foreign = async () => String(await cast.commentOf(cast.other()));
  const badPage = { query: '?size=0', options: token };
  return {
    'GET /api/comments/{commentId}/replies': {
      200: { path: own },
      VALIDATION_FAILED: { path: invalidId },
      COMMENT_NOT_FOUND: { path: missingId },
    },
    'GET /api/comments/{commentId}': {
      200: { path: own },
      VALIDATION_FAILED: { path: invalidId },
      COMMENT_NOT_FOUND: { path: missingId },
    },
    'GET /api/articles/{articleId}/comments/hidden': {
      200: { path: async () => String((await buildArticle(cast.app.url, {}, cast.member())).id), options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      ARTICLE_FORBIDDEN: { path: () => String(cast.article().id), options: token },
      ARTICLE_NOT_FOUND: { path: missingId, options: token },
    },
    'GET /api/comments/me': { 200: { options: token }, VALIDATION_FAILED: badPage },
    'GET /api/comments/me/received': { 200: { options: token }, VALIDATION_FAILED: badPage },
    'PUT /api/comments/{commentId}/hidden': {
      200: {
        path: async () => {
          const { id } = await buildArticle(cast.app.url, {}, cast.member());
          return String((await buildComment(cast.app.url, id, {}, cast.other())).id);
        },
        options: json({ hidden: true }),
      },
      VALIDATION_FAILED: { path: own, options: json({}) },
      COMMENT_FORBIDDEN: { path: own, options: json({ hidden: true }) },
      COMMENT_NOT_FOUND: { path: missingId, options: json({ hidden: true }) },
    },
    'PATCH /api/comments/{commentId}': {
      200: { path: own, options: json({ content: 'x' }) },
      VALIDATION_FAILED: { path: own, options: json({}) },
      COMMENT_FORBIDDEN: { path: foreign, options: json({ content: 'x' }) },
      COMMENT_NOT_FOUND: { path: missingId, options: json({ content: 'x' }) },
    },
  };
}

function members(cast: Cast): RequestCases {
  const leaver = async () => {
    const { token, password } = await buildMember(cast.app.url);
    return { token, json: { password } };
  };
  const unproven = async () => {
    const { id, token } = await buildMember(cast.app.url);
    await removePassword(cast.app, id);
    await ageLogins(cast.app, id, 11);
    return { token, json: {} };
  };
  const { json, token } = requestsBy(cast);
  return {
    ...sessions(cast),
    ...socialAccounts(cast),
    'GET /api/members/{memberId}': {
      200: { path: () => String(cast.other().id) },
      VALIDATION_FAILED: { path: invalidId },
      MEMBER_NOT_FOUND: { path: missingId },
    },
    'GET /api/members/{memberId}/categories': {
      200: { path: () => String(cast.other().id) },
      VALIDATION_FAILED: { path: invalidId },
      MEMBER_NOT_FOUND: { path: missingId },
    },
    'GET /api/members/me/archive': {
      200: { options: async () => ({ token: (await buildMember(cast.app.url)).token }) },
      PROOF_REQUIRED: {
        options: async () => {
          const { id, token } = await buildMember(cast.app.url);
          await ageLogins(cast.app, id, 11);
          return { token };
        },
      },
    },
    'GET /api/members/me/security-events': {
      200: { options: token },
      VALIDATION_FAILED: { query: '?page=0', options: token },
    },
    'DELETE /api/members/me': {
      200: { options: leaver },
      VALIDATION_FAILED: { options: json({}) },
      PROOF_REQUIRED: { options: unproven },
    },
  };
}

function sessions(cast: Cast): RequestCases {
  const { token } = requestsBy(cast);
  const another = async () => {
    await logIn(cast.app.url, cast.member());
    const { body } = await call(cast.app.url, 'GET /api/members/me/sessions', token());
    return body?.data.contents.find(({ current }: { current: boolean }) => !current).id;
  };
  return {
    'GET /api/members/me/sessions': { 200: { options: token } },
    'DELETE /api/members/me/sessions': { 200: { options: token } },
    'DELETE /api/members/me/sessions/{sessionId}': {
      200: { path: another, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      SESSION_NOT_FOUND: { path: () => randomUUID(), options: token },
    },
  };
}

function socialAccounts(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const linked = async (hasPassword: boolean, minutes = 0) => {
    const { id, token, password } = await buildMember(cast.app.url);
    await cast.app.database.sequelize.query(
      `insert into social_links (member_id, provider, subject) values (${id}, 'GOOGLE', 'subject ${id}')`,
    );
    if (!hasPassword) await removePassword(cast.app, id);
    await ageLogins(cast.app, id, minutes);
    return { token, json: hasPassword ? { password } : {} };
  };
  const newToken = ({ password }: { password?: string }) => ({ name: 'New', scopes: ['read'], password });
  const google = () => 'GOOGLE';
  return {
    'GET /api/members/me/tokens': { 200: { options: token } },
    'POST /api/members/me/tokens': {
      201: { options: () => json(newToken(cast.member()))() },
      VALIDATION_FAILED: { options: json({}) },
      PROOF_REQUIRED: { options: async () => ({ ...(await linked(false, 11)), json: newToken({}) }) },
      TOKEN_LIMIT_REACHED: {
        options: async () => {
          const full = await buildMember(cast.app.url);
          await cast.app.database.sequelize.query(`insert into api_tokens (id, member_id, token_hash, name, scopes)
            select gen_random_uuid(), ${full.id}, sha256(n::text::bytea), 'Full', '{read}' from generate_series(1, 50) as n`);
          return { token: full.token, json: newToken(full) };
        },
      },
    },
    'DELETE /api/members/me/tokens/{id}': {
      200: { path: async () => (await buildApiToken(cast.app.url, cast.member())).id, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      TOKEN_NOT_FOUND: { path: () => randomUUID(), options: token },
    },
    'GET /api/members/me/social-accounts': { 200: { options: token } },
    'POST /api/members/me/social-accounts': {
      VALIDATION_FAILED: { options: json({}) },
      PROVIDER_UNSUPPORTED: { options: json({ provider: 'UNKNOWN', code: 'x' }) },
    },
    'DELETE /api/members/me/social-accounts/{provider}': {
      200: { path: google, options: () => linked(true) },
      VALIDATION_FAILED: { path: () => 'x'.repeat(31), options: token },
      PROOF_REQUIRED: { path: google, options: () => linked(false, 11) },
      SOCIAL_ACCOUNT_NOT_FOUND: { path: () => 'KAKAO', options: token },
      LAST_LOGIN_METHOD: { path: google, options: () => linked(false) },
    },
  };
}

function notifications(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const notificationOf = async (member: BuiltMember) => {
    const article = await buildArticle(cast.app.url, {}, member);
    await buildComment(cast.app.url, article.id);
    const [notification] = await notificationsOf(cast.app.url, member);
    return String(notification?.id);
  };
  const own = () => notificationOf(cast.member());
  return {
    'GET /api/notifications': {
      200: { options: token },
      VALIDATION_FAILED: { query: '?unreadOnly=1', options: token },
    },
    'GET /api/notifications/stream': {
      200: { options: token },
      VALIDATION_FAILED: { options: () => ({ ...token(), headers: { 'Last-Event-ID': 'x' } }) },
    },
    'PUT /api/notifications/read': { 200: { options: token } },
    'PUT /api/notifications/{id}': {
      200: { path: own, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      NOTIFICATION_FORBIDDEN: { path: () => notificationOf(cast.other()), options: token },
      NOTIFICATION_NOT_FOUND: { path: missingId, options: token },
    },
    'GET /api/members/me/notification-settings': { 200: { options: token } },
    'PUT /api/members/me/notification-settings/{type}': {
      200: { path: () => 'REPLY', options: token },
      VALIDATION_FAILED: { path: invalidId, options: json({}) },
      MAIL_NOT_CONFIGURED: { path: () => 'REPLY', options: json({ email: 'DAILY' }) },
    },
  };
}
