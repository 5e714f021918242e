/** Contract test: every endpoint responds as the OpenAPI document says, and every documented response can occur. */

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { generatedFiles, ROOT } from '../../../src/cli/generate/files.js';
import { openDatabase } from '../../../src/database/pool.js';
import { models } from '../../../src/models/index.js';
import { LOCK_ACCOUNT } from '../../../src/models/member/administration.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildComment, buildMember, useArticle } from '../../support/build.js';
import { call, type RequestOptions, type RestResponse } from '../../support/client.js';
import { passkeyRequestCases } from '../../support/documented-passkey-responses.js';
import { recoveryRequestCases, UNREACHABLE_SMTP } from '../../support/documented-recovery-responses.js';
import { type Cast, journalRequestCases, type RequestCase } from '../../support/documented-responses.js';
import { styleRequestCases } from '../../support/documented-style-responses.js';
import { flat } from '../../support/images.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { documentedResults, seenResponses } from '../../support/openapi.js';
import { forge } from '../../support/session.js';

const app = useApp(UNREACHABLE_SMTP);

describe('openapi.json and schema.graphql', () => {
  for (const [name, text] of Object.entries(generatedFiles())) {
    it(`contain the output of the generator (npm run generate): ${name}`, async () => {
      expect(await readFile(new URL(name, ROOT), 'utf8')).to.equal(text);
    });
  }

  it('include openapi.json as the application serves it', async () => {
    const served = await (await fetch(`${app.url}/openapi.json`)).json();
    expect(served).to.deep.equal(JSON.parse(generatedFiles()['openapi.json'] ?? ''));
  });
});

describe('The OpenAPI document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is parsed JSON without a type.
  let document: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  let operations: [string, any][];
  before(async () => {
    document = await (await fetch(`${app.url}/openapi.json`)).json();
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as object).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, unknown],
      ),
    );
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(document);
    expect(valid, JSON.stringify(errors)).to.equal(true);
    expect(document.openapi).to.match(/^3\.1\./);
  });

  it('has only references that resolve', () => {
    for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference.split('/').reduce((holder, key) => holder?.[key], document);
      expect(found, reference).to.be.an('object');
    }
  });

  it('has a unique operationId, a summary, a tag and security for each operation', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size, ids.join()).to.equal(ids.length);
    for (const [target, { summary, tags, security }] of operations) {
      expect(summary, target).to.match(/^[A-Z].{3,80}[^.]$/);
      expect(tags, target).to.have.length(1);
      expect(security, target).to.be.an('array');
    }
  });

  it('describes every path parameter as required', () => {
    for (const [target, { parameters = [] }] of operations) {
      const inPath = parameters.filter((parameter: { in: string }) => parameter.in === 'path');
      const names = [...target.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        inPath.map(({ name }: { name: string }) => name),
        target,
      ).to.have.members(names);
      for (const { required } of inPath) expect(required, target).to.equal(true);
    }
  });
});

describe('The responses in the OpenAPI document', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  type Schema = any;
  const document: Schema = JSON.parse(generatedFiles()['openapi.json'] ?? '');
  const resolved = (schema: Schema): Schema =>
    schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  const operations = Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, operation]) => {
      const [, success] = Object.entries<Schema>(operation.responses).find(([status]) => /^2/.test(status)) ?? [];
      const data = resolved(success?.content?.['application/json']?.schema.properties.data);
      return { target: `${method.toUpperCase()} ${path}`, operation, data: data?.properties ?? {} };
    }),
  );

  it('have the maxima of the request fields with the same names (@LimitedAs)', () => {
    let compared = 0;
    for (const { target, operation, data } of operations) {
      const fields = operation.requestBody?.content['application/json']?.schema.properties ?? {};
      for (const [name, { maxLength, maxItems, items }] of Object.entries<Schema>(fields)) {
        if (!(name in data) || (maxLength ?? maxItems) === undefined) continue;
        // Requests accept more formats of a time than the one of responses, which has a pattern.
        if (name.endsWith('At')) continue;
        const { maxLength: length, maxItems: count, items: elements } = data[name];
        const expected = [maxLength, maxItems, items?.maxLength];
        expect([length, count, elements?.maxLength], `${target}: ${name}`).to.deep.equal(expected);
        compared++;
      }
    }
    expect(compared).to.be.above(15);
  });

  it('have at most as many elements as the largest page', () => {
    const pages = operations.filter(({ data }) => data.pagination);
    for (const { target, operation, data } of pages) {
      const size = operation.parameters.find(({ name }: { name: string }) => name === 'size');
      expect(data.contents.maxItems, target).to.equal(size.schema.maximum);
    }
    expect(pages).to.have.length.above(8);
  });

  it('limit every complete list', () => {
    const lists = operations.filter(({ data }) => data.contents && !data.pagination);
    const unlimited = lists.filter(({ data }) => data.contents.maxItems === undefined).map(({ target }) => target);
    // As many as login providers are configured.
    const configured = ['GET /api/auth/oauth/providers', 'GET /api/members/me/social-accounts'];
    expect(unlimited).to.have.members(configured);
    expect(lists).to.have.length.above(configured.length);
  });
});

/** Documented responses that this test cannot cause, with the reason. */
const UNTESTED: Record<string, string> = {
  INTERNAL_ERROR: 'needs a fault in the code; route.test.ts makes one by taking a table away',
  RATE_LIMITED: 'needs more requests than a limit has; rate-limit.test.ts makes the limits small',
  REQUEST_TIMEOUT: 'needs a client that does not send; test/http/timeout.test.ts has one',
  HEADERS_TOO_LARGE: 'cannot be sent with fetch; test/http/timeout.test.ts sends it over a bare connection',
  'GET /api/articles/{articleId}/comments QUERY_TOO_COMPLEX':
    'needs a small maximum for responses; operation-checks.test.ts has one',
  'GET /api/articles QUERY_TOO_COMPLEX': 'as above',
  'GET /api/articles/me QUERY_TOO_COMPLEX': 'as above',
  REGISTRATION_CLOSED: 'needs another value of REGISTRATION; registration.test.ts has one',
  'POST /api/auth/register TOKEN_INVALID': 'as above',
  'POST /api/auth/oauth/login TOKEN_INVALID': 'as above',
  EMAIL_NOT_VERIFIED: 'needs REQUIRE_VERIFIED_EMAIL; verified-email.test.ts has it',
  'POST /api/auth/register 202': 'as above',
  MAIL_NOT_CONFIGURED: 'needs a service without SMTP_URL; recovery.test.ts has one',
  OAUTH_REJECTED: 'needs a login provider; social-login.test.ts has one',
  OAUTH_PROVIDER_FAILED: 'as above',
  'POST /api/auth/oauth/login 200': 'as above',
  'POST /api/auth/oauth/login ACCOUNT_LOCKED': 'as above',
  'POST /api/auth/oauth/login SERVICE_UNAVAILABLE': 'as above',
  'POST /api/auth/oauth/url 200': 'as above',
  'POST /api/members/me/social-accounts 201': 'as above',
  'POST /api/members/me/social-accounts PROOF_REQUIRED': 'as above',
  'POST /api/members/me/social-accounts SERVICE_UNAVAILABLE': 'as above',
  'POST /api/auth/oauth/url SERVICE_UNAVAILABLE': 'it reads no data',
  'GET /api/auth/oauth/providers SERVICE_UNAVAILABLE': 'it reads no data',
  IDEMPOTENCY_KEY_IN_USE: 'needs a request in progress; idempotency/keys.test.ts holds the lock of its key',
  'POST /api/members/me/social-accounts IDEMPOTENCY_KEY_REUSED': 'needs a login provider, as above',
  AI_PROVIDER_FAILED: 'needs an AI provider; style-failure.test.ts has one that fails',
  'POST /api/articles/transform-style 200': 'needs an AI provider; style.test.ts has one',
  'POST /api/external/gemini 200': 'as above',
};

/** All messages in a response: its own and those of its errors. */
function textsIn({ body }: RestResponse): string[] {
  if (!body) return [];
  const errors: { message: string }[] = body.data.errors ?? [];
  return [body.message, ...errors.map(({ message }) => message)];
}

/** A database that is unreachable: nothing listens on port 1. */
const database = openDatabase('postgres://127.0.0.1:1/nowhere', { models, poolSize: 2, statementTimeoutMs: 1000 });

describe('Every documented response', () => {
  const lost = useApp(UNREACHABLE_SMTP, { database });
  let member: BuiltMember;
  let other: BuiltMember;
  const article = useArticle(app);
  let png: Buffer;
  /** API tokens without a scope of most endpoints, and of the others. */
  let narrow: { ai: string; images: string };
  before(async () => {
    [member, other] = await Promise.all([buildMember(app.url), buildMember(app.url)]);
    png = await flat(4, 4).png().toBuffer();
    const [ai, images] = [
      await buildApiToken(app.url, member, ['ai']),
      await buildApiToken(app.url, member, ['images']),
    ];
    narrow = { ai: ai.token, images: images.token };
  });
  after(() => database.close());

  const NOWHERE = '999999';
  const commentOf = async ({ id }: BuiltMember, parentCommentId?: number) =>
    (
      await buildComment(
        app.url,
        article.id,
        parentCommentId ? { parentCommentId } : {},
        id === member.id ? member : other,
      )
    ).id;

  /** Requests that cause the specific responses of each endpoint; `common` has those for the shared ones. */
  const json = (value: unknown) => () => ({ json: value, token: member.token });
  const asMember = () => ({ token: member.token });
  const requestCases: Record<string, Record<string, RequestCase>> = {
    'POST /api/auth/register': {
      201: { options: json({ email: 'contract@example.org', password: 'long enough', memberName: 'Contract' }) },
      VALIDATION_FAILED: { options: json({}) },
      IDEMPOTENCY_KEY_REUSED: {
        options: async () => {
          const headers = { 'Idempotency-Key': randomUUID() };
          const account = { email: 'retried@example.org', password: 'long enough', memberName: 'Retried' };
          await call(app.url, 'POST /api/auth/register', { json: account, headers });
          return { json: { ...account, memberName: 'Another' }, headers };
        },
      },
      EMAIL_TAKEN: { options: () => json({ email: member.email, password: 'long enough', memberName: 'x' })() },
      NICKNAME_TAKEN: {
        options: () =>
          json({ email: 'n@example.org', password: 'long enough', memberName: 'x', nickname: member.nickname })(),
      },
    },
    'POST /api/auth/login': {
      200: { options: () => json({ email: member.email, password: member.password })() },
      VALIDATION_FAILED: { options: json({}) },
      INVALID_CREDENTIALS: { options: () => json({ email: member.email, password: 'wrong' })() },
      ACCOUNT_LOCKED: {
        options: async () => {
          const { id, email, password } = await buildMember(app.url);
          await app.database.query(LOCK_ACCOUNT, [id]);
          return json({ email, password })();
        },
      },
    },
    'POST /api/auth/refresh': {
      200: { options: async () => json({ refreshToken: (await buildMember(app.url)).refreshToken })() },
      VALIDATION_FAILED: { options: json({}) },
      REFRESH_TOKEN_INVALID: { options: json({ refreshToken: 'x' }) },
    },
    'POST /api/auth/logout': { 200: { options: async () => ({ token: (await buildMember(app.url)).token }) } },
    'POST /api/auth/oauth/login': {
      VALIDATION_FAILED: { options: json({}) },
      PROVIDER_UNSUPPORTED: { options: json({ provider: 'UNKNOWN', code: 'x' }) },
    },
    'GET /api/auth/oauth/providers': { 200: {} },
    'POST /api/auth/oauth/url': {
      VALIDATION_FAILED: { options: json({}) },
      PROVIDER_UNSUPPORTED: { options: json({ provider: 'UNKNOWN' }) },
    },
    'GET /api/members/me': { 200: { options: asMember } },
    'PATCH /api/members/me': {
      204: { options: () => ({ ...multipart([requestPart({ bio: 'x' }), filePart(png)]), token: member.token }) },
      VALIDATION_FAILED: { options: json({}) },
      IMAGE_INVALID: { options: () => ({ ...multipart([filePart('x')]), token: member.token }) },
      NICKNAME_TAKEN: { options: () => json({ nickname: other.nickname })() },
    },
    'GET /api/articles/{articleId}': {
      200: { path: () => String(article.id) },
      VALIDATION_FAILED: { path: () => 'x' },
      ARTICLE_NOT_FOUND: { path: () => NOWHERE },
    },
    'GET /api/articles/{articleId}/comments': {
      200: { path: () => String(article.id) },
      VALIDATION_FAILED: { path: () => 'x' },
      ARTICLE_NOT_FOUND: { path: () => NOWHERE },
    },
    'POST /api/articles/{articleId}/comments': {
      201: { path: () => String(article.id), options: json({ content: 'x' }) },
      VALIDATION_FAILED: { path: () => String(article.id), options: json({}) },
      ARTICLE_NOT_FOUND: { path: () => NOWHERE, options: json({ content: 'x' }) },
      COMMENT_NOT_FOUND: { path: () => String(article.id), options: json({ content: 'x', parentCommentId: 999_999 }) },
      REPLY_TOO_DEEP: {
        path: () => String(article.id),
        options: async () => {
          const reply = await commentOf(member, await commentOf(member));
          return json({ content: 'x', parentCommentId: reply })();
        },
      },
    },
    'DELETE /api/comments/{commentId}': {
      200: { path: async () => String(await commentOf(member)), options: asMember },
      VALIDATION_FAILED: { path: () => 'x', options: asMember },
      COMMENT_NOT_FOUND: { path: () => NOWHERE, options: asMember },
      COMMENT_FORBIDDEN: { path: async () => String(await commentOf(other)), options: asMember },
    },
  };

  const cast: Cast = {
    app,
    member: () => member,
    other: () => other,
    article: () => article,
    png: () => png,
    commentOf: (who) => commentOf(who),
  };
  Object.assign(requestCases, journalRequestCases(cast), styleRequestCases(cast), passkeyRequestCases(cast));
  Object.assign(requestCases, recoveryRequestCases(cast));

  /** Requests Korean messages: texts that are missing from the message catalog would stay English. */
  async function callInKorean(url: string, target: string, options: RequestOptions = {}): Promise<RestResponse> {
    const response = await call(url, target, { ...options, headers: { ...options.headers, 'Accept-Language': 'ko' } });
    for (const text of textsIn(response)) expect(text, target).to.match(/\p{Script=Hangul}/u);
    return response;
  }

  async function sendCase(
    target: string,
    { path, query = '', options }: RequestCase,
    url = app.url,
  ): Promise<RestResponse> {
    const segment = (await path?.()) ?? '1';
    return callInKorean(url, target.replace(/\{\w+\}/, segment) + query, await options?.());
  }

  function sendWith(target: string, requestCase: RequestCase, headers: Record<string, string>): Promise<RestResponse> {
    const options = async () => {
      const own = (await requestCase.options?.()) ?? {};
      return { ...own, headers: { ...own.headers, ...headers } };
    };
    return sendCase(target, { ...requestCase, options });
  }

  /** Requests that cause the responses shared by many endpoints, by key. */
  function common(target: string): Record<string, () => Promise<RestResponse>> {
    const body = Buffer.from('x');
    const send = (options: RequestOptions, url?: string) => () => sendCase(target, { options: () => options }, url);
    const success = Object.entries(requestCases[target] ?? {}).find(([key]) => /^2/.test(key))?.[1] ?? {};
    return {
      304: () => sendCase(target, { ...success, options: () => ({ headers: { 'If-None-Match': '*' } }) }),
      VALIDATION_FAILED: () => sendCase(target, { ...success, query: '?unknown=1' }),
      UNAUTHENTICATED: send({ token: 'bad' }),
      TOKEN_EXPIRED: send({ token: forge(member.token, { exp: 1 }) }),
      SCOPE_MISSING: async () => {
        const response = await send({ token: narrow.ai })();
        return response.body?.code === 'SCOPE_MISSING' ? response : send({ token: narrow.images })();
      },
      BAD_REQUEST: target.includes('{')
        ? () => callInKorean(app.url, target.replace(/\{\w+\}/, '%ff'))
        : send({ token: member.token, body, headers: { 'Content-Type': 'application/json' } }),
      PAYLOAD_TOO_LARGE: send({ token: member.token, json: { title: 'x'.repeat(1_100_000) } }),
      UNSUPPORTED_MEDIA_TYPE: send({ token: member.token, body, headers: { 'Content-Type': 'text/plain' } }),
      QUERY_TOO_COMPLEX: send({
        token: member.token,
        json: { title: 'x', content: 'x', tags: Array(10_001).fill('x') },
        headers: { 'Idempotency-Key': randomUUID() },
      }),
      PRECONDITION_FAILED: () => sendWith(target, success, { 'If-Match': '"0"' }),
      IDEMPOTENCY_KEY_REUSED: async () => {
        const headers = { 'Idempotency-Key': randomUUID() };
        const { token } = (await success.options?.()) ?? {};
        await call(app.url, 'PUT /api/members/me/notification-settings/SUMMARY', { token: token ?? '', headers });
        return sendWith(
          target,
          {
            ...success,
            options: async () => ({ ...(await success.options?.()), ...(token !== undefined && { token }) }),
          },
          headers,
        );
      },
      SERVICE_UNAVAILABLE: () => sendCase(target, success, lost.url),
    };
  }

  it('can occur, matches the document, and has Korean messages', async () => {
    const documented = await documentedResults(app.url);
    const unexplained: string[] = [];
    for (const { target, result } of documented) {
      if (UNTESTED[result] ?? UNTESTED[`${target} ${result}`]) continue;
      const requestCase = requestCases[target]?.[result];
      const request = requestCase ? () => sendCase(target, requestCase) : common(target)[result];
      if (!request) {
        unexplained.push(`${target} ${result}`);
        continue;
      }
      // The test client validates the response against the OpenAPI document.
      const { status, body } = await request();
      expect(
        /^[23]/.test(result) ? String(status) : body?.code,
        `${target} ${result}: ${JSON.stringify(body)}`,
      ).to.equal(result);
    }
    expect(unexplained, 'documented, but no request here brings it about').to.deep.equal([]);
    expect(documented.length).to.be.above(60);
    expect(seenResponses.size).to.be.above(60);
  });

  it('belongs to an endpoint that this test covers, and vice versa', async () => {
    const targets = new Set((await documentedResults(app.url)).map(({ target }) => target));
    expect([...targets].sort()).to.deep.equal(Object.keys(requestCases).sort());
  });
});
