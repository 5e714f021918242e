/** The examples in the reference: each is sent as documented, and its response is compared with the documented one. */
import { expect } from 'chai';
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import type { TokenPurpose } from '../../../src/models/member/one-time-token.js';
import { respond, startAiProvider } from '../../support/ai-provider.js';
import { buildApiToken } from '../../support/api-tokens.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { timeIn } from '../../support/drafts.js';
import { UNREACHABLE_SMTP } from '../../support/error-cases.js';
import { buildLink } from '../../support/links.js';
import { closeLiveClients } from '../../support/live.js';
import { eventsIn, readEvents } from '../../support/live-raw.js';
import { validatorsOf } from '../../support/openapi.js';
import { CLIENT, type OpenIdServer, startOpenId } from '../../support/openid.js';
import { authenticatorFor, buildPasskey, loginOptions, registrationOptions } from '../../support/passkeys.js';
import { examplesIn, namesIn, type ShownRequest, shownRequests } from '../../support/reference.js';
import { addShownAccount, prepareShownJournal } from '../../support/reference-journal.js';
import { logIn } from '../../support/session.js';
import { until } from '../../support/until.js';

const REDIRECT = 'http://localhost:3000/oauth/callback';

const ai = await startAiProvider();
let openId: OpenIdServer;
const environment: NodeJS.ProcessEnv = {
  ...ai.environment,
  ...UNREACHABLE_SMTP,
  OAUTH_REDIRECT_URIS: REDIRECT,
  OAUTH_GOOGLE_CLIENT_ID: CLIENT.id,
  OAUTH_GOOGLE_CLIENT_SECRET: CLIENT.secret,
};
before(async () => {
  openId = await startOpenId([REDIRECT]);
  environment.OAUTH_GOOGLE_ISSUER = openId.issuer;
});
after(() => Promise.all([ai.close(), openId.close()]));

/** Run last: these delete the drafts, the session, the article and the member that the other examples use. */
const LAST = [
  'DELETE /api/drafts/{draftId}',
  'POST /api/drafts/{draftId}/publish',
  'DELETE /api/members/me/sessions',
  'DELETE /api/articles/{articleId}',
  'DELETE /api/members/me',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function rank({ operation }: ShownRequest): number {
  const [method = ''] = operation.split(' ');
  return METHODS.indexOf(method) + (LAST.indexOf(operation) + 1) * METHODS.length;
}

describe('The examples in the reference', () => {
  const app = useApp(environment);
  let mina: BuiltMember;
  // biome-ignore lint/suspicious/noExplicitAny: the document is read without a type, as by its clients.
  let document: any;
  let shown: ShownRequest[];
  before(async () => {
    mina = await prepareShownJournal(app.url);
    await addShownAccount(app, mina.id);
    document = await (await fetch(`${app.url}/openapi.json`)).json();
    shown = shownRequests(document).sort((a, b) => rank(a) - rank(b));
    ai.setResponses(respond.withText('Wait until nine, and you will see it!'));
  });
  afterEach(closeLiveClients);

  /** The only values that are not known in advance: single-use tokens and codes, and times in the future. */
  const GIVEN_OUT: Record<string, (token: string) => Promise<object>> = {
    'POST /api/members/me/tokens': async () => ({ expiresAt: timeIn(86_400) }),
    'PUT /api/drafts/{draftId}/schedule': async () => ({ publishAt: timeIn(3_600) }),
    'POST /api/auth/refresh': async () => ({ refreshToken: (await logIn(app.url, mina)).refreshToken }),
    'POST /api/auth/oauth/login': () => beginLogin('shown'),
    'POST /api/auth/password/reset': () => buildShownLink('reset'),
    'POST /api/auth/email/confirm': () => buildShownLink('confirm'),
    'POST /api/auth/email/undo': () => buildShownLink('undo'),
    'POST /api/members/me/social-accounts': () => beginLogin('linked'),
    'POST /api/auth/passkeys/login': async () => {
      const { authenticator } = await buildPasskey(app.url, await buildMember(app.url), authenticatorFor(app.url));
      return { credential: authenticator.assert(await loginOptions(app.url)) };
    },
    'POST /api/members/me/passkeys': async (token) => {
      return { credential: authenticatorFor(app.url).register(await registrationOptions(app.url, { token })) };
    },
  };

  /** A link of Jun, since some of them end all sessions. */
  async function buildShownLink(purpose: TokenPurpose): Promise<object> {
    return { token: await buildLink(app, mina.id + 1, purpose, 'jun@example.org') };
  }

  /** Runs the login up to the redirect with a code. */
  async function beginLogin(sub: string): Promise<object> {
    openId.people.set(sub, { sub, email: `${sub}@example.com`, email_verified: true, name: 'Shown' });
    const query = '{ socialLoginUrl(provider: "GOOGLE") { url codeVerifier } }';
    const { url, codeVerifier } = (await graphql(app.url, query)).data.socialLoginUrl;
    const back = await openId.logIn(url, sub);
    const nonce = new URL(url).searchParams.get('nonce');
    return { code: back.get('code'), state: back.get('state'), codeVerifier, nonce };
  }

  it('exist for every operation, and for each media type of its body', () => {
    const operations = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods));
    expect(new Set(shown.map(({ operation }) => operation)).size).to.equal(operations.length);
    const multipart = shown.filter(({ mediaType }) => mediaType === 'multipart/form-data');
    expect(multipart.map(({ operation }) => operation)).to.have.members([
      'POST /api/articles',
      'POST /api/images',
      'PUT /api/articles/{articleId}',
      'PATCH /api/members/me',
    ]);
  });

  it('of requests lead to the documented status and field names', async () => {
    for (const { operation, mediaType, isPublic, fields, toSend, status, content } of shown) {
      // Without a token, it would be null.
      const showsViewer = JSON.stringify(content).includes('"viewer":{');
      const session = isPublic && !showsViewer ? undefined : (await logIn(app.url, mina)).accessToken;
      // Its example shows an API token: a session has no scopes.
      const token = operation === 'GET /api/token' ? (await buildApiToken(app.url, mina, ['read'])).token : session;
      const own = await GIVEN_OUT[operation]?.(token ?? '');
      const { target, options } = await toSend({ ...fields, ...own });
      if (own) expect(fields, operation).to.include.all.keys(own);
      const response = await call(app.url, target, { ...options, ...(token && { token }) });
      const details = `${target} ${mediaType}: ${JSON.stringify(response.body)}`;
      expect(response.status, details).to.equal(status);
      const whole = content['application/json'];
      expect(namesIn(response.body), details).to.deep.equal(namesIn(whole?.example));
    }
    expect(shown.length).to.be.above(40);
  });
});

describe('The event examples in the reference', () => {
  const app = useApp(environment);
  afterEach(closeLiveClients);

  it('have the field names of the events that are sent', async () => {
    const mina = await prepareShownJournal(app.url);
    const shown = shownRequests(await (await fetch(`${app.url}/openapi.json`)).json());
    const stream = shown.find(({ operation }) => operation === 'GET /api/notifications/stream');
    const { options } = (await stream?.toSend()) ?? {};
    const opened = await readEvents(app.url, mina.token, options?.headers);
    const [event] = await until(() => eventsIn(opened.text).length > 0 && eventsIn(opened.text));
    const [example] = eventsIn(stream?.content['text/event-stream']?.example);
    expect([event?.event, event?.id]).to.deep.equal([example?.event, example?.id]);
    const data = (of: typeof event) => namesIn(JSON.parse(of?.data ?? ''));
    expect(data(event)).to.deep.equal(data(example));
  });
});

describe('Every example in the reference', () => {
  const app = useApp();

  it('is valid against its schema', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as object;
    const ajv = validatorsOf(document);
    const found = [...examplesIn(document)];
    for (const { pointer, example } of found) {
      const validate = ajv.getSchema(`openapi#${pointer}`);
      expect(validate?.(example), `${pointer}: ${ajv.errorsText(validate?.errors)}`).to.equal(true);
    }
    expect(found.length).to.be.above(150);
  });
});

describe('The example operations in the schema', () => {
  const app = useApp(environment);
  let examples: { name: string; deprecationReason?: string | null | undefined; text: string }[];
  let schema: GraphQLSchema;
  before(async () => {
    schema = buildClientSchema((await graphql(app.url, getIntrospectionQuery())).data);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) => Object.values(root?.getFields() ?? {}));
    examples = fields.map(({ name, description, deprecationReason }) => {
      return { name, deprecationReason, text: /```graphql\n(.*)\n```/s.exec(description ?? '')?.[1] ?? '' };
    });
  });

  it('exist for every root field that is not deprecated, and are valid', () => {
    expect(examples.length).to.be.above(70);
    for (const { name, text, deprecationReason } of examples) {
      expect(text === '', name).to.equal(Boolean(deprecationReason));
      if (text) expect(validate(schema, parse(text)), name).to.deep.equal([]);
    }
  });

  it('are executed without errors, except those with a token, code or signature that was not issued', async () => {
    const mina = await prepareShownJournal(app.url);
    await addShownAccount(app, mina.id);
    const codes: Record<string, string> = {};
    const removals = [/^(delete|publish|unlink|end|logout|withdraw)/, /^(deleteArticle|withdraw)$/];
    const order = ({ name }: { name: string }) => removals.filter((pattern) => pattern.test(name)).length;
    let token = '';
    for (const { name, text } of examples.sort((a, b) => order(a) - order(b))) {
      // Files and streams: the variables and the protocol are not part of the example.
      if (!text || text.includes('$file') || text.startsWith('subscription')) continue;
      // Removals end sessions, of which a member has a limited number.
      if (!token || order({ name }) > 0) token = (await logIn(app.url, mina)).accessToken;
      // They have to be within a limit, which no fixed time is.
      const later = text.replace(/(publishAt|expiresAt): "[^"]+"/g, `$1: "${timeIn(86_400)}Z"`);
      const { errors } = await graphql(app.url, later, {}, token);
      if (errors) codes[name] = String(errors[0]?.extensions.code);
    }
    expect(codes).to.deep.equal({
      confirmEmail: 'TOKEN_INVALID',
      createPasskey: 'VALIDATION_FAILED',
      linkSocialAccount: 'OAUTH_REJECTED',
      passkeyLogin: 'INVALID_CREDENTIALS',
      refreshTokens: 'REFRESH_TOKEN_INVALID',
      resetPassword: 'TOKEN_INVALID',
      socialLogin: 'OAUTH_REJECTED',
      undoEmailChange: 'TOKEN_INVALID',
      unlinkSocialAccount: 'SOCIAL_ACCOUNT_NOT_FOUND',
    });
  });
});
