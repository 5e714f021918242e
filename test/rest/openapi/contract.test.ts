/** Contract test: every endpoint responds as the OpenAPI document says, and every documented error can occur. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { generatedFiles, ROOT } from '../../../src/cli/generate/files.js';
import { models } from '../../../src/models/index.js';
import type { Scope } from '../../../src/models/session/api-token.js';
import { openDatabase } from '../../../src/platform/database/pool.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, type RestResponse } from '../../support/client.js';
import { buildUnproven, type ErrorCase, errorCases, UNREACHABLE_SMTP } from '../../support/error-cases.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { documentedResults } from '../../support/openapi.js';
import { type ShownRequest, shownRequests, UUID_PATHS } from '../../support/reference.js';
import { addShownAccount, prepareShownJournal } from '../../support/reference-journal.js';
import { suspend } from '../../support/roles.js';
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

  it('has a summary and one tag for each operation', () => {
    for (const [target, { summary, tags }] of operations) {
      expect(summary, target).to.match(/^[A-Z].{3,80}[^.]$/);
      expect(tags, target).to.have.length(1);
    }
  });

  // Clients and gateways can reject such requests themselves, as the OWASP API Security Top 10 recommend (API4:2023).
  it('bounds every value of a request, and every property of a body', () => {
    let strings = 0;
    for (const [target, { parameters, requestBody }] of operations) {
      const values = [...parameters, ...Object.values(requestBody?.content ?? {})].flatMap(({ $ref, schema }) =>
        schemasIn($ref ? document.components.parameters[$ref.split('/').at(-1)].schema : schema),
      );
      for (const schema of values) {
        const types = [schema.type].flat();
        const keys = Object.keys(schema);
        const details = `${target}: ${JSON.stringify(schema)}`;
        if (types.includes('string') && !('enum' in schema)) {
          expect(keys, details).to.include('maxLength');
          expect('format' in schema || 'pattern' in schema, details).to.equal(true);
          strings++;
        }
        if (types.includes('integer')) expect(keys, details).to.include.members(['minimum', 'maximum']);
        if (types.includes('array')) expect(keys, details).to.include('maxItems');
        if ('properties' in schema)
          expect(schema.additionalProperties === false || 'maxProperties' in schema, details).to.equal(true);
      }
    }
    expect(strings).to.be.above(50);
  });
});

/** A schema and all schemas in it. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function schemasIn(schema: any): any[] {
  const { properties = {}, items } = schema;
  return [schema, ...[...Object.values(properties), ...(items ? [items] : [])].flatMap(schemasIn)];
}

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
        if (name.endsWith('At') || name === 'until') continue;
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

/** Documented errors that this test cannot cause, with the reason. */
const UNTESTED: Record<string, string> = {
  INTERNAL_ERROR: 'needs a fault in the code; route.test.ts makes one by taking a table away',
  RATE_LIMITED: 'needs more requests than a limit has; rate-limit.test.ts makes the limits small',
  REQUEST_TIMEOUT: 'needs a client that does not send; test/platform/http/timeout.test.ts has one',
  HEADERS_TOO_LARGE: 'cannot be sent with fetch; test/platform/http/timeout.test.ts sends it over a bare connection',
  'GET /api/articles/{articleId}/comments QUERY_TOO_COMPLEX':
    'needs a small maximum for responses; operation-checks.test.ts has one',
  'GET /api/articles QUERY_TOO_COMPLEX': 'as above',
  'GET /api/articles/me QUERY_TOO_COMPLEX': 'as above',
  'GET /api/articles/{articleId} QUERY_TOO_COMPLEX': 'as above',
  'GET /api/articles/by-slug/{slug} QUERY_TOO_COMPLEX': 'as above',
  REGISTRATION_CLOSED: 'needs another value of REGISTRATION; registration.test.ts has one',
  'POST /api/auth/register TOKEN_INVALID': 'as above',
  'POST /api/auth/oauth/login TOKEN_INVALID': 'as above',
  EMAIL_NOT_VERIFIED: 'needs REQUIRE_VERIFIED_EMAIL; verified-email.test.ts has it',
  MAIL_NOT_CONFIGURED: 'needs a service without SMTP_URL; recovery.test.ts has one',
  OAUTH_REJECTED: 'needs a login provider; social-login.test.ts has one',
  OAUTH_PROVIDER_FAILED: 'as above',
  'POST /api/auth/oauth/login ACCOUNT_LOCKED': 'as above',
  'POST /api/auth/oauth/login SERVICE_UNAVAILABLE': 'as above',
  'POST /api/members/me/social-accounts PROOF_REQUIRED': 'as above',
  'POST /api/members/me/social-accounts SERVICE_UNAVAILABLE': 'as above',
  'POST /api/auth/oauth/url SERVICE_UNAVAILABLE': 'it reads no data',
  'GET /api/auth/oauth/providers SERVICE_UNAVAILABLE': 'it reads no data',
  'POST /api/articles/{articleId}/views SERVICE_UNAVAILABLE': 'it reads no data',
  IDEMPOTENCY_KEY_IN_USE: 'needs a request in progress; idempotency/keys.test.ts holds the lock of its key',
  'POST /api/members/me/social-accounts IDEMPOTENCY_KEY_REUSED': 'needs a login provider, as above',
  AI_PROVIDER_FAILED: 'needs an AI provider; style-failure.test.ts has one that fails',
};

/** All messages in a response: its own and those of its errors. */
function textsIn({ body }: RestResponse): string[] {
  if (!body) return [];
  const errors: { message: string }[] = body.data.errors ?? [];
  return [body.message, ...errors.map(({ message }) => message)];
}

/** A database that is unreachable: nothing listens on port 1. */
const database = openDatabase('postgres://127.0.0.1:1/nowhere', { models, poolSize: 2, statementTimeoutMs: 1000 });

describe('Every documented error', () => {
  const lost = useApp(UNREACHABLE_SMTP, { database });
  const cases = errorCases(app);
  let mina: BuiltMember;
  let other: BuiltMember;
  /** The examples by endpoint: that with a JSON body if there are several. */
  let examples: Map<string, ShownRequest>;
  /** API tokens with one scope, by scope: no endpoint admits both. */
  let tokens: { ai: string; images: string };
  /** An API token of a suspended member. */
  let suspended: string;
  before(async () => {
    mina = await prepareShownJournal(app.url);
    await addShownAccount(app, mina.id);
    other = await buildMember(app.url);
    const shown = shownRequests(await (await fetch(`${app.url}/openapi.json`)).json());
    const byMediaType = shown.toSorted((a, b) => (a.mediaType > b.mediaType ? -1 : 1));
    examples = new Map(byMediaType.map((one) => [one.operation, one]));
    const tokenFor = async (scope: Scope) => (await buildApiToken(app.url, mina, [scope])).token;
    const advertiser = await buildMember(app.url);
    suspended = (await buildApiToken(app.url, advertiser)).token;
    await suspend(app, advertiser.id);
    tokens = { ai: await tokenFor('ai'), images: await tokenFor('images') };
  });
  after(() => database.close());

  /** Sends the example of an endpoint with these changes. Requests Korean messages, which are checked. */
  async function sendExample(endpoint: string, changes: ErrorCase = {}, { query = '', url = app.url } = {}) {
    const example = examples.get(endpoint);
    if (!example) throw new Error(`no example of ${endpoint}`);
    const { id, fields, query: ownQuery = query, ...own } = changes;
    const { target, options } = await example.toSend(fields ? { ...example.fields, ...fields } : example.fields);
    const parts = target.split('?')[0]?.split('/') ?? [];
    const ids = Array.isArray(id) ? [...id] : null;
    const segments = endpoint
      .split('/')
      .map((segment, at) => (segment.startsWith('{') ? (ids?.shift() ?? id ?? parts[at]) : segment));
    const { json, body, ...rest } = options;
    const replaced = 'json' in own || 'body' in own ? rest : options;
    const response = await call(url, segments.join('/') + ownQuery, {
      ...(!example.isPublic && { token: mina.token }),
      ...replaced,
      ...own,
      headers: { ...replaced.headers, ...own.headers, 'Accept-Language': 'ko' },
    });
    for (const text of textsIn(response)) expect(text, endpoint).to.match(/\p{Script=Hangul}/u);
    return response;
  }

  /** Causes an error that many endpoints have, by a change of the example. */
  async function sendFor(endpoint: string, result: string): Promise<RestResponse> {
    const send = (changes?: ErrorCase) => sendExample(endpoint, changes);
    const { fields, isPublic, mediaType } = examples.get(endpoint) ?? {};
    const text = Buffer.from('x');
    switch (result) {
      case '304':
        return send({ headers: { 'If-None-Match': '*' } });
      case 'VALIDATION_FAILED':
        return sendExample(endpoint, {}, { query: '?unknown=1' });
      case 'UNAUTHENTICATED':
        return send({ token: 'bad' });
      case 'TOKEN_EXPIRED':
        return send({ token: forge(mina.token, { exp: 1 }) });
      case 'SCOPE_MISSING':
        // A public endpoint has one field that needs a scope.
        if (isPublic) return send({ token: tokens.images, query: '?include=viewer' });
        return send({ token: endpoint.includes('/images') ? tokens.ai : tokens.images });
      case 'MEMBER_SUSPENDED':
        return send({ token: suspended });
      case 'BAD_REQUEST':
        return endpoint.includes('{')
          ? send({ id: '%ff' })
          : send({ body: text, headers: { 'Content-Type': 'application/json' } });
      case 'PAYLOAD_TOO_LARGE':
        return send({ json: { title: 'x'.repeat(1_100_000) } });
      case 'UNSUPPORTED_MEDIA_TYPE':
        return send({ body: text, headers: { 'Content-Type': 'text/plain' } });
      case 'IMAGE_INVALID':
        return send(multipart([...(fields ? [requestPart(fields)] : []), filePart('x')]));
      case 'PRECONDITION_FAILED':
        return send({ headers: { 'If-Match': '"0"' } });
      case 'PROOF_REQUIRED': {
        const { password: _, ...json } = fields ?? {};
        return send({ token: (await buildUnproven(app)).token, ...(mediaType && { json }) });
      }
      case 'IDEMPOTENCY_KEY_REUSED': {
        const headers = { 'Idempotency-Key': randomUUID() };
        const [first, options] = isPublic
          ? ['POST /api/auth/email/resend', { json: { email: `${randomUUID()}@example.org` } }]
          : ['PUT /api/members/me/notification-settings/SUMMARY', { token: mina.token }];
        await call(app.url, first, { ...options, headers });
        return send({ headers });
      }
      case 'SERVICE_UNAVAILABLE':
        return sendExample(endpoint, {}, { url: lost.url });
    }
    if (result.endsWith('_FORBIDDEN')) return send({ token: other.token });
    if (result.endsWith('_NOT_FOUND') && endpoint.includes('{'))
      return send({ id: UUID_PATHS.test(endpoint) ? randomUUID() : 999_999 });
    return send();
  }

  it('can occur, matches the document, and has Korean messages', async () => {
    // The test of the examples (reference.test.ts) sends a request for each documented success.
    const documented = (await documentedResults(app.url)).filter(({ status }) => status >= 300);
    const missing: string[] = [];
    for (const { target, result } of documented) {
      if (UNTESTED[result] ?? UNTESTED[`${target} ${result}`]) continue;
      const errorCase = cases[target]?.[result];
      // The test client validates the response against the OpenAPI document.
      const { status, body } = await (errorCase ? sendExample(target, await errorCase()) : sendFor(target, result));
      const received = result === '304' ? String(status) : body?.code;
      if (received !== result) missing.push(`${target} ${result}: ${JSON.stringify(body)}`);
    }
    expect(missing, 'add a case to test/support/error-cases.ts').to.deep.equal([]);
    expect(documented.length).to.be.above(500);
  });

  it('is documented if it has a case', async () => {
    const documented = (await documentedResults(app.url)).map(({ target, result }) => `${target} ${result}`);
    const listed = Object.entries(cases).flatMap(([target, one]) => Object.keys(one).map((key) => `${target} ${key}`));
    expect(documented).to.include.members(listed);
  });
});
