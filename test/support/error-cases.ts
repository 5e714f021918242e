/** Requests for the documented errors that need more than the example of their endpoint: other fields, or other data. */
import { randomUUID } from 'node:crypto';
import { MAX_BLOCKS } from '../../src/models/block.js';
import { MAX_BOOKMARKS } from '../../src/models/bookmark.js';
import { MAX_HELD_FOR_AUTHOR } from '../../src/models/comment/held.js';
import { MAX_DRAFT_BYTES, MAX_DRAFTS } from '../../src/models/draft/draft.js';
import { MAX_FOLLOWS } from '../../src/models/follow.js';
import { LOCK_ACCOUNT } from '../../src/models/member/administration.js';
import type { TokenPurpose } from '../../src/models/member/one-time-token.js';
import { byKind } from '../../src/models/reaction-kinds.js';
import { MAX_SERIES } from '../../src/models/series.js';
import { MAX_WEBHOOKS } from '../../src/models/webhook/webhook.js';
import { MAX_IMAGE_BYTES } from '../../src/services/images/image.js';
import { buildApiToken } from './api-tokens.js';
import type { TestApp } from './app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from './build.js';
import { call, type RequestOptions } from './client.js';
import { buildDecision } from './decisions.js';
import { buildDraft, timeIn } from './drafts.js';
import { holdMany, MANY_LINKS } from './held.js';
import { buildLink } from './links.js';
import { filePart, multipart } from './multipart.js';
import { authenticatorFor, buildPasskey, loginOptions } from './passkeys.js';
import { remove } from './removal.js';
import { setRole } from './roles.js';
import { ageLogins, removePassword } from './session.js';
import { buildStyle } from './styles.js';
import { insertWebhook } from './webhooks.js';

/** The settings of a service that sends emails, to a server that does not exist. */
export const UNREACHABLE_SMTP = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@example.org' };

/** What differs from the example. */
export interface ErrorCase extends RequestOptions {
  /** The value of all path parameters, or of each of them. */
  id?: string | number | readonly number[];
  /** In place of the parameters of the example. */
  query?: string;
  /** Fields of the body in addition to those of the example, or other values of them. */
  fields?: object;
}

type ErrorCases = Record<string, Record<string, () => Promise<ErrorCase> | ErrorCase>>;

/** A member without a password, whose login is too old to be a proof. */
export async function buildUnproven(app: TestApp): Promise<{ id: number; token: string }> {
  const { id, token } = await buildMember(app.url);
  await removePassword(app, id);
  await ageLogins(app, id, 11);
  return { id, token };
}

/** By endpoint and error. The examples are sent by Mina, to the journal of the reference (`reference-journal.ts`). */
export function errorCases(app: TestApp): ErrorCases {
  return { ...accountCases(app), ...passkeyCases(app), ...contentCases(app), ...webhookCases(app) };
}

function accountCases(app: TestApp): ErrorCases {
  const emailTakenBy = (purpose: TokenPurpose) => async () => {
    const [{ id }, other] = [await buildMember(app.url), await buildMember(app.url)];
    return { fields: { token: await buildLink(app, id, purpose, other.email) } };
  };
  const unknownProvider = () => ({ json: { provider: 'UNKNOWN', code: 'x' } });
  const linked = async ({ id, token }: { id: number; token: string }) => {
    await app.database.sequelize.query(
      `insert into social_links (member_id, provider, subject) values (${id}, 'GOOGLE', 'subject ${id}')`,
    );
    return { token, json: {} };
  };
  return {
    'POST /api/auth/register': {
      EMAIL_TAKEN: () => ({ fields: { email: 'mina@example.org' } }),
      NICKNAME_TAKEN: () => ({ fields: { nickname: 'mina' } }),
    },
    'POST /api/auth/login': {
      VALIDATION_FAILED: () => ({ json: {} }),
      INVALID_CREDENTIALS: () => ({ fields: { password: 'wrong' } }),
      ACCOUNT_LOCKED: async () => {
        const { id, email, password } = await buildMember(app.url);
        await app.database.query(LOCK_ACCOUNT, [id]);
        return { fields: { email, password } };
      },
    },
    'POST /api/auth/oauth/login': { PROVIDER_UNSUPPORTED: unknownProvider },
    'POST /api/auth/oauth/url': { PROVIDER_UNSUPPORTED: () => ({ json: { provider: 'UNKNOWN' } }) },
    'POST /api/members/me/social-accounts': { PROVIDER_UNSUPPORTED: unknownProvider },
    'POST /api/auth/email/confirm': { EMAIL_TAKEN: emailTakenBy('change') },
    'POST /api/auth/email/undo': { EMAIL_TAKEN: emailTakenBy('undo') },
    'PATCH /api/members/me': {
      VALIDATION_FAILED: () => ({ json: {} }),
      NICKNAME_TAKEN: () => ({ fields: { nickname: 'jun' } }),
    },
    'PUT /api/moderation/members/{memberId}/role': {
      ROLE_MISSING: async () => {
        const { token, password } = await buildMember(app.url);
        return { token, fields: { password } };
      },
    },
    'GET /api/moderation/decisions': { ROLE_MISSING: () => buildMember(app.url) },
    'POST /api/decisions/{decisionId}/appeal': {
      ALREADY_APPEALED: async () => {
        const { id: memberId, token } = await buildMember(app.url);
        const id = await buildDecision(app, { memberId });
        await call(app.url, `POST /api/decisions/${id}/appeal`, { token, json: { text: 'x' } });
        return { id, token };
      },
      ALREADY_DECIDED: async () => {
        const { id: memberId, token } = await buildMember(app.url);
        return { id: await buildDecision(app, { memberId, action: 'UNSUSPEND' }), token };
      },
    },
    'DELETE /api/members/me/social-accounts/{provider}': {
      PROOF_REQUIRED: async () => linked(await buildUnproven(app)),
      LAST_LOGIN_METHOD: async () => {
        const member = await buildMember(app.url);
        await removePassword(app, member.id);
        return linked(member);
      },
    },
    'POST /api/members/me/tokens': {
      PROOF_REQUIRED: async () => ({ token: (await buildUnproven(app)).token, json: { name: 'x', scopes: ['read'] } }),
      TOKEN_LIMIT_REACHED: async () => {
        const { id, token, password } = await buildMember(app.url);
        await app.database.sequelize.query(`insert into api_tokens (id, member_id, token_hash, name, scopes)
          select gen_random_uuid(), ${id}, sha256(n::text::bytea), 'Full', '{read}' from generate_series(1, 50) as n`);
        return { token, json: { name: 'x', scopes: ['read'], password } };
      },
    },
  };
}

function webhookCases(app: TestApp): ErrorCases {
  const asMember = async () => ({ token: (await buildMember(app.url)).token });
  const unproven = (json: object) => async () => {
    const { id, token } = await buildUnproven(app);
    await setRole(app, id, 'ADMIN');
    return { token, json };
  };
  const expired = (json: object) => async () => ({ id: await insertWebhook(app.database), json });
  const url = 'https://hooks.example.org/';
  return {
    'GET /api/webhooks': { ROLE_MISSING: asMember },
    'POST /api/webhooks': {
      ROLE_MISSING: asMember,
      PROOF_REQUIRED: unproven({ url, events: ['changes'] }),
      WEBHOOK_LIMIT_REACHED: async () => {
        for (let count = 0; count < MAX_WEBHOOKS; count++) await insertWebhook(app.database);
        return {};
      },
    },
    'GET /api/webhooks/{webhookId}': { ROLE_MISSING: asMember },
    'PATCH /api/webhooks/{webhookId}': {
      ROLE_MISSING: asMember,
      PROOF_REQUIRED: unproven({ url }),
      CURSOR_EXPIRED: expired({ enabled: true }),
    },
    'DELETE /api/webhooks/{webhookId}': { ROLE_MISSING: asMember },
    'POST /api/webhooks/{webhookId}/secret': { ROLE_MISSING: asMember, PROOF_REQUIRED: unproven({}) },
    'POST /api/webhooks/{webhookId}/test': { ROLE_MISSING: asMember },
    'POST /api/webhooks/{webhookId}/resume': { ROLE_MISSING: asMember, CURSOR_EXPIRED: expired({}) },
    'GET /api/webhooks/{webhookId}/attempts': { ROLE_MISSING: asMember },
  };
}

function passkeyCases(app: TestApp): ErrorCases {
  const register = () => authenticatorFor(app.url).register({ challenge: '', user: { id: 'AA' } });
  return {
    'POST /api/auth/passkeys/login': {
      ACCOUNT_LOCKED: async () => {
        const member = await buildMember(app.url);
        const { authenticator } = await buildPasskey(app.url, member, authenticatorFor(app.url));
        await app.database.query(LOCK_ACCOUNT, [member.id]);
        return { json: { credential: authenticator.assert(await loginOptions(app.url)) } };
      },
    },
    'POST /api/members/me/passkeys': {
      PROOF_REQUIRED: async () => ({
        token: (await buildUnproven(app)).token,
        json: { name: 'x', credential: register() },
      }),
      QUERY_TOO_COMPLEX: () => ({
        json: { name: 'x', credential: { values: Array(10_001).fill('x') } },
        headers: { 'Idempotency-Key': randomUUID() },
      }),
    },
    'DELETE /api/members/me/passkeys/{passkeyId}': {
      LAST_LOGIN_METHOD: async () => {
        const member = await buildMember(app.url);
        const { id } = await buildPasskey(app.url, member, authenticatorFor(app.url));
        await removePassword(app, member.id);
        return { id, token: member.token, json: {} };
      },
    },
  };
}

function contentCases(app: TestApp): ErrorCases {
  /** Of Mina, with the first id. */
  const defaultCategory = () => ({ id: 1 });
  const unknownCategory = () => ({ fields: { category: 'None' } });
  const takenSlug = async () => {
    const slug = `taken-${randomUUID()}`;
    await buildArticle(app.url, { slug });
    return { fields: { slug } };
  };
  const takenCategory = () => ({ fields: { categoryName: 'general' } });
  /** Without revisions. */
  const newArticle = async () => {
    const { id, author } = await buildArticle(app.url);
    return { id, token: author.token };
  };
  /** An executed request of the author of a private article, with an API token that does not see it. */
  const summaryOfUnseen = async () => {
    const { id, author } = await buildArticle(app.url, { visibility: 'PRIVATE' });
    const headers = { 'Idempotency-Key': randomUUID() };
    await call(app.url, `POST /api/articles/${id}/summary`, { token: author.token, headers });
    return { id, headers, token: (await buildApiToken(app.url, author, ['ai'])).token };
  };
  /** The draft of a private article, with what a request with the key did to it. @param method of the request */
  const draftOfUnseen = async (method: 'PATCH' | 'DELETE') => {
    const { id: articleId, author } = await buildArticle(app.url, { visibility: 'PRIVATE' });
    const { token } = author;
    const { id } = (await call(app.url, `PUT /api/articles/${articleId}/draft`, { token })).body?.data ?? {};
    const keyed = { headers: { 'Idempotency-Key': randomUUID() }, ...(method === 'PATCH' && { json: { title: 'x' } }) };
    await call(app.url, `${method} /api/drafts/${id}`, { token, ...keyed });
    return { id, ...keyed, token: (await buildApiToken(app.url, author, ['drafts'])).token };
  };
  const translationOfUnseen = async () => {
    const { id, author } = await buildArticle(app.url, { visibility: 'PRIVATE', language: 'ko' });
    const request = { headers: { 'Idempotency-Key': randomUUID() }, json: { language: 'en', translationOf: id } };
    await call(app.url, 'POST /api/drafts', { token: author.token, ...request });
    return { ...request, token: (await buildApiToken(app.url, author, ['drafts'])).token };
  };
  const startOfUnseen = async () => {
    const { id, author } = await buildArticle(app.url, { visibility: 'PRIVATE' });
    const headers = { 'Idempotency-Key': randomUUID() };
    await call(app.url, `PUT /api/articles/${id}/draft`, { token: author.token, headers });
    return { id, headers, token: (await buildApiToken(app.url, author, ['drafts'])).token };
  };
  const unknownImage = () => ({ fields: { imageId: 999_999 } });
  /** That of an article which has been edited since. */
  const outdatedDraft = async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const { token } = author;
    const { body } = await call(app.url, `PUT /api/articles/${articleId}/draft`, { token });
    const json = { title: 'Edited', content: 'Meanwhile' };
    await call(app.url, `PUT /api/articles/${articleId}`, { token, json });
    return { token, id: body?.data.id };
  };
  const draftOfRemoved = async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const { body } = await call(app.url, `PUT /api/articles/${articleId}/draft`, { token: author.token });
    await remove(app, 'article', articleId);
    return { token: author.token, id: body?.data.id };
  };
  const draftWithTakenSlug = async () => {
    const slug = `taken-${randomUUID()}`;
    await buildArticle(app.url, { slug });
    const { id, author } = await buildDraft(app.url, { slug });
    return { token: author.token, id };
  };
  const draftInTakenLanguage = async () => {
    const article = await buildArticle(app.url, { language: 'ko' });
    const { id, author } = await buildDraft(app.url, { language: 'ko', translationOf: article.id }, article.author);
    return { token: author.token, id };
  };
  const draftOfRemovedTranslation = async () => {
    const article = await buildArticle(app.url, { language: 'ko' });
    const { id, author } = await buildDraft(app.url, { language: 'en', translationOf: article.id }, article.author);
    await app.database.sequelize.query(
      `update all_articles set is_private = true, removed_at = now() where id = ${article.id}`,
    );
    return { token: author.token, id };
  };
  const unknownTranslation = () => ({ fields: { translationOf: 999_999 } });
  const withManyDrafts = async () => {
    const member = await buildMember(app.url);
    await app.database.sequelize.query(
      `insert into drafts (member_id) select ${member.id} from generate_series(1, ${MAX_DRAFTS})`,
    );
    return member;
  };
  const withCount = async (column: 'bookmarks' | 'following', count: number) => {
    const { id, token } = await buildMember(app.url);
    await app.database.sequelize.query(`insert into reader_counts (member_id, ${column}) values (${id}, ${count})`);
    return { token };
  };
  /** A member who is blocked by the author of an article with a comment of the member. */
  const withBlock = async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const { id: commentId, author: blocked } = await buildComment(app.url, articleId);
    await call(app.url, `PUT /api/members/${blocked.id}/block`, { token: author.token });
    return { articleId, authorId: author.id, commentId, token: blocked.token };
  };
  /** A comment by a member who cannot have further comments that wait for approval. */
  const withManyHeld = async () => {
    const { id: articleId } = await buildArticle(app.url);
    const { id: commentId, author: member } = await buildComment(app.url, articleId);
    await holdMany(app, articleId, member.id, MAX_HELD_FOR_AUTHOR);
    return { articleId, commentId, token: member.token };
  };
  /** An author, and a content with a mention of a member who blocks the author. `before` runs before the block. */
  const withMention = async <Result>(before: (author: BuiltMember, content: string) => Promise<Result>) => {
    const [author, blocker] = [await buildMember(app.url), await buildMember(app.url)];
    const content = `@[${blocker.nickname}]`;
    const result = await before(author, content);
    await call(app.url, `PUT /api/members/${author.id}/block`, { token: blocker.token });
    return { result, content, token: author.token };
  };
  const builtInStyle = () => ({ fields: { name: 'friendly' } });
  return {
    'POST /api/articles': {
      CATEGORY_NOT_FOUND: unknownCategory,
      SLUG_TAKEN: takenSlug,
      ARTICLE_NOT_FOUND: () => ({ fields: { language: 'ko', translationOf: 999_999 } }),
      TRANSLATION_EXISTS: async () => {
        const { author, id } = await buildArticle(app.url, { language: 'ko' });
        return { token: author.token, json: { title: 'x', content: 'y', language: 'ko', translationOf: id } };
      },
      BLOCKED: async () => {
        const { content, token } = await withMention(async () => {});
        return { token, json: { title: 'x', content } };
      },
    },
    'PUT /api/articles/{articleId}': {
      BLOCKED: async () => {
        const { result, content, token } = await withMention((author) => buildArticle(app.url, {}, author));
        return { id: result.id, token, json: { title: 'x', content } };
      },
      SLUG_TAKEN: takenSlug,
      TRANSLATION_EXISTS: async () => {
        const { author, id } = await buildArticle(app.url, { language: 'ko' });
        const other = await buildArticle(app.url, {}, author);
        const json = { title: 'x', content: 'y', language: 'ko', translationOf: id };
        return { id: other.id, token: author.token, json };
      },
      CATEGORY_NOT_FOUND: unknownCategory,
    },
    'PUT /api/articles/{articleId}/visibility': {
      SLUG_TAKEN: async () => {
        const { slug } = (await takenSlug()).fields;
        const { id, author } = await buildArticle(app.url, { slug, visibility: 'PRIVATE' });
        return { id, token: author.token };
      },
    },
    'POST /api/reports': {
      ARTICLE_NOT_FOUND: () => ({ json: { articleId: 999_999, reason: 'SPAM' } }),
      COMMENT_NOT_FOUND: () => ({ fields: { commentId: 999_999 } }),
      MEMBER_NOT_FOUND: () => ({ json: { memberId: 999_999, reason: 'SPAM' } }),
      ALREADY_REPORTED: async () => {
        const { token } = await buildMember(app.url);
        const json = { articleId: (await buildArticle(app.url)).id, reason: 'SPAM' };
        await call(app.url, 'POST /api/reports', { token, json });
        return { token, json };
      },
    },
    'GET /api/changes': { CURSOR_EXPIRED: () => ({ query: '?since=FFFFFFFFFFFFFFFFFFFF.0.0' }) },
    'GET /api/moderation/queue': { ROLE_MISSING: async () => ({ token: (await buildMember(app.url)).token }) },
    'POST /api/moderation/decisions': {
      ARTICLE_NOT_FOUND: () => ({ json: { articleId: 999_999, action: 'DISMISS' } }),
      COMMENT_NOT_FOUND: () => ({ fields: { commentId: 999_999 } }),
      MEMBER_NOT_FOUND: () => ({ json: { memberId: 999_999, action: 'DISMISS' } }),
      DECISION_NOT_FOUND: () => ({ json: { appealId: 999_999, action: 'UPHOLD' } }),
      ROLE_MISSING: async () => ({ token: (await buildMember(app.url)).token, fields: {} }),
      ALREADY_DECIDED: async () => ({ json: { memberId: (await buildMember(app.url)).id, action: 'UNSUSPEND' } }),
    },
    // An example that is not held.
    'PUT /api/comments/{commentId}/approval': { ALREADY_DECIDED: () => ({ fields: { approved: false } }) },
    'GET /api/articles/{articleId}/revisions/{number}': { REVISION_NOT_FOUND: newArticle },
    'POST /api/articles/{articleId}/revisions/{number}/restore': {
      REVISION_NOT_FOUND: newArticle,
      BLOCKED: async () => {
        const { result, token } = await withMention(async (author, content) => {
          const article = await buildArticle(app.url, { content }, author);
          const json = { title: 'Edited', content: 'Words' };
          await call(app.url, `PUT /api/articles/${article.id}`, { token: author.token, json });
          return article;
        });
        return { id: [result.id, 1], token };
      },
    },
    'GET /api/drafts/{draftId}/revisions/{number}': {
      REVISION_NOT_FOUND: async () => {
        const { token } = await buildMember(app.url);
        return { id: (await call(app.url, 'POST /api/drafts', { token, json: {} })).body?.data.id, token };
      },
    },
    'POST /api/drafts': {
      CATEGORY_NOT_FOUND: unknownCategory,
      IMAGE_NOT_FOUND: unknownImage,
      ARTICLE_NOT_FOUND: unknownTranslation,
      DRAFT_LIMIT_REACHED: withManyDrafts,
      RESPONSE_REMOVED: translationOfUnseen,
    },
    'PATCH /api/drafts/{draftId}': {
      RESPONSE_REMOVED: () => draftOfUnseen('PATCH'),
      CATEGORY_NOT_FOUND: unknownCategory,
      IMAGE_NOT_FOUND: unknownImage,
      ARTICLE_NOT_FOUND: unknownTranslation,
      // A save that equals the stored text succeeds.
      PRECONDITION_FAILED: () => ({ fields: { content: 'x' }, headers: { 'If-Match': 'W/"999.x"' } }),
      DRAFT_LIMIT_REACHED: async () => {
        const { id: memberId, token } = await buildMember(app.url);
        const { body } = await call(app.url, 'POST /api/drafts', { token, json: {} });
        await app.database.sequelize.query(
          `update draft_counts set bytes = ${MAX_DRAFT_BYTES} where member_id = ${memberId}`,
        );
        return { id: body?.data.id, token };
      },
    },
    'PUT /api/articles/{articleId}/bookmark': { BOOKMARK_LIMIT_REACHED: () => withCount('bookmarks', MAX_BOOKMARKS) },
    ...byKind(({ name }) => {
      const blocked = async () => {
        const { articleId, token } = await withBlock();
        return { id: articleId, token };
      };
      return [`PUT /api/articles/{articleId}/${name}`, { BLOCKED: blocked }];
    }),
    'PUT /api/members/{memberId}/follow': {
      FOLLOW_LIMIT_REACHED: () => withCount('following', MAX_FOLLOWS),
      BLOCKED: async () => {
        const { authorId, token } = await withBlock();
        return { id: authorId, token };
      },
    },
    'PUT /api/members/{memberId}/block': {
      BLOCK_LIMIT_REACHED: async () => {
        const { id, token } = await buildMember(app.url);
        await app.database.sequelize.query(`with blocked as (
            insert into members (member_name, nickname) select 'n', 'blocked ' || n from generate_series(1, ${MAX_BLOCKS}) n returning id
          ) insert into blocks (member_id, blocked_id) select ${id}, id from blocked`);
        return { token };
      },
    },
    'PATCH /api/comments/{commentId}': {
      BLOCKED: async () => {
        const { commentId, token } = await withBlock();
        return { id: commentId, token };
      },
      HELD_LIMIT_REACHED: async () => {
        const { commentId, token } = await withManyHeld();
        return { id: commentId, token, json: { content: MANY_LINKS } };
      },
    },
    'POST /api/series': {
      ARTICLE_NOT_FOUND: () => ({ fields: { articleIds: [999_999] } }),
      SERIES_LIMIT_REACHED: async () => {
        const { id, token } = await buildMember(app.url);
        await app.database.sequelize.query(
          `insert into series (member_id, title) select ${id}, 'Full' from generate_series(1, ${MAX_SERIES})`,
        );
        return { token };
      },
    },
    'PUT /api/series/{seriesId}': { ARTICLE_NOT_FOUND: () => ({ fields: { articleIds: [999_999] } }) },
    'POST /api/drafts/{draftId}/publish': {
      ARTICLE_FORBIDDEN: draftOfRemoved,
      SLUG_TAKEN: draftWithTakenSlug,
      TRANSLATION_EXISTS: draftInTakenLanguage,
      ARTICLE_NOT_FOUND: draftOfRemovedTranslation,
      REVISION_CONFLICT: outdatedDraft,
      BLOCKED: async () => {
        const { result, token } = await withMention((author, content) =>
          buildDraft(app.url, { title: 'x', content }, author),
        );
        return { id: result.id, token };
      },
    },
    'PUT /api/drafts/{draftId}/schedule': {
      ARTICLE_FORBIDDEN: async () => ({ ...(await draftOfRemoved()), fields: { publishAt: timeIn(3_600) } }),
      SLUG_TAKEN: async () => ({ ...(await draftWithTakenSlug()), fields: { publishAt: timeIn(3_600) } }),
      TRANSLATION_EXISTS: async () => ({ ...(await draftInTakenLanguage()), fields: { publishAt: timeIn(3_600) } }),
      REVISION_CONFLICT: async () => ({ ...(await outdatedDraft()), fields: { publishAt: timeIn(3_600) } }),
    },
    'POST /api/drafts/{draftId}/share': { ARTICLE_FORBIDDEN: draftOfRemoved },
    'DELETE /api/drafts/{draftId}': { RESPONSE_REMOVED: () => draftOfUnseen('DELETE') },
    'PUT /api/articles/{articleId}/draft': {
      RESPONSE_REMOVED: startOfUnseen,
      DRAFT_LIMIT_REACHED: async () => {
        const member = await withManyDrafts();
        return { id: (await buildArticle(app.url, {}, member)).id, token: member.token };
      },
    },
    'POST /api/articles/transform-style': {
      STYLE_NOT_FOUND: () => ({ json: { content: 'x', customStyleId: 999_999 } }),
    },
    'POST /api/articles/{articleId}/summary': { RESPONSE_REMOVED: summaryOfUnseen },
    'GET /api/articles/{articleId}/comments': { VALIDATION_FAILED: () => ({ id: 'x' }) },
    'POST /api/articles/{articleId}/comments': {
      COMMENT_NOT_FOUND: () => ({ fields: { parentCommentId: 999_999 } }),
      REPLY_TOO_DEEP: () => ({ fields: { parentCommentId: 2 } }),
      BLOCKED: async () => {
        const { articleId, token } = await withBlock();
        return { id: articleId, token, json: { content: 'x' } };
      },
      HELD_LIMIT_REACHED: async () => {
        const { articleId, token } = await withManyHeld();
        return { id: articleId, token, json: { content: MANY_LINKS } };
      },
    },
    'DELETE /api/comments/{commentId}': { VALIDATION_FAILED: () => ({ id: 'x' }) },
    'POST /api/categories': {
      CATEGORY_NAME_TAKEN: takenCategory,
      CATEGORY_LIMIT_REACHED: async () => {
        const { token } = await buildMember(app.url);
        for (let number = 0; number < 20; number++)
          await call(app.url, 'POST /api/categories', { token, json: { categoryName: `Shelf ${number}` } });
        return { token };
      },
    },
    'PUT /api/categories/{categoryId}': {
      CATEGORY_NAME_TAKEN: takenCategory,
      DEFAULT_CATEGORY_FIXED: defaultCategory,
    },
    'DELETE /api/categories/{categoryId}': { DEFAULT_CATEGORY_FIXED: defaultCategory },
    'POST /api/members/me/custom-styles': {
      STYLE_NAME_TAKEN: builtInStyle,
      STYLE_LIMIT_REACHED: async () => {
        const member = await buildMember(app.url);
        for (let number = 0; number < 10; number++) await buildStyle(app.url, member);
        return { token: member.token };
      },
    },
    'PUT /api/members/me/custom-styles/{styleId}': { STYLE_NAME_TAKEN: builtInStyle },
    'POST /api/images': {
      BAD_REQUEST: () => multipart([]),
      PAYLOAD_TOO_LARGE: () => multipart([filePart(Buffer.alloc(MAX_IMAGE_BYTES + 1))]),
      IMAGE_LIMIT_REACHED: async () => {
        const { id, token } = await buildMember(app.url);
        await app.database.sequelize.query(`insert into images (member_id, key, width, height, bytes)
          select ${id}, md5('full' || n), 1, 1, 1 from generate_series(1, 1000) n`);
        return { token };
      },
    },
    'DELETE /api/images/{imageId}': {
      IMAGE_IN_USE: async () => {
        const member = await buildMember(app.url);
        const { id, url } = await buildImage(app.url, member);
        await buildArticle(app.url, { content: url }, member);
        return { id, token: member.token };
      },
    },
  };
}
