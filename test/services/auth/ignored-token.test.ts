/** Operations that issue a token or need none ignore the Authorization header; all others reject an invalid one. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { useMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { forge, logIn } from '../../support/session.js';

const app = useApp();
const LOG_IN = 'mutation ($input: LoginInput!) { login(input: $input) { accessToken } }';
const REFRESH = 'mutation ($token: String!) { refreshTokens(refreshToken: $token) { accessToken refreshToken } }';

describe('A request with an expired, malformed or foreign token', () => {
  const member = useMember(app);
  let tokens: Record<string, string>;
  before(async () => {
    const { refreshToken } = await logIn(app.url, member);
    tokens = { malformed: 'x', refresh: refreshToken, expired: forge(member.token, { exp: 1_000_000_000 }) };
  });
  const credentials = () => ({ email: member.email, password: member.password });

  it('logs in, refreshes and registers over REST', async () => {
    let count = 0;
    for (const [kind, token] of Object.entries(tokens)) {
      const login = await call(app.url, 'POST /api/auth/login', { token, json: credentials() });
      expect(login.status, kind).to.equal(200);
      const { refreshToken } = login.body?.data ?? {};
      const renewed = await call(app.url, 'POST /api/auth/refresh', { token, json: { refreshToken } });
      expect(renewed.status, kind).to.equal(200);
      const json = { email: `${kind}${count++}@example.org`, password: 'long enough', memberName: kind };
      expect((await call(app.url, 'POST /api/auth/register', { token, json })).status, kind).to.equal(201);
      expect((await call(app.url, 'GET /api/auth/oauth/providers', { token })).status, kind).to.equal(200);
      const login2 = await call(app.url, 'POST /api/auth/oauth/login', {
        token,
        json: { provider: 'NONE', code: 'x' },
      });
      expect(login2.body?.code, kind).to.equal('PROVIDER_UNSUPPORTED');
    }
  });

  it('logs in and refreshes over GraphQL', async () => {
    for (const [kind, token] of Object.entries(tokens)) {
      const { data, errors } = await graphql(app.url, LOG_IN, { input: credentials() }, token);
      expect(errors, kind).to.equal(undefined);
      expect(data.login.accessToken, kind).to.be.a('string');
      const { refreshToken } = await logIn(app.url, member);
      const renewed = await graphql(app.url, REFRESH, { token: refreshToken }, token);
      expect(renewed.data?.refreshTokens.refreshToken, kind).to.be.a('string');
    }
  });

  it('runs the selected operation of a GraphQL document if that one needs no token', async () => {
    const query = `query Me { me { id } } ${LOG_IN.replace('mutation', 'mutation LogIn')}`;
    const send = (operationName: string) =>
      fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${tokens.expired}` },
        body: JSON.stringify({ query, operationName, variables: { input: credentials() } }),
      });
    expect([(await send('LogIn')).status, (await send('Me')).status]).to.deep.equal([200, 401]);
  });

  it('gets 401 from every other operation, on public resources too', async () => {
    for (const [kind, token] of Object.entries(tokens)) {
      expect((await call(app.url, 'GET /api/articles', { token })).status, kind).to.equal(401);
      for (const query of [
        '{ articles { contents { id } } }',
        '{ __typename }',
        '{ loginProviders { provider } articles { contents { id } } }',
        `query { ...Root } fragment Root on Query { loginProviders { provider } me { id } }`,
        '{ unknown',
        '',
      ]) {
        const { status, errors } = await graphql(app.url, query, {}, token);
        expect([status, errors?.[0]?.extensions.code], `${kind}: ${query}`).to.deep.equal([
          401,
          kind === 'expired' ? 'TOKEN_EXPIRED' : 'UNAUTHENTICATED',
        ]);
      }
    }
  });

  it('gets 401 before errors of the body', async () => {
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'text/plain' };
    for (const path of ['/graphql', '/api/articles']) {
      const response = await fetch(app.url + path, { method: 'POST', headers, body: '{' });
      expect(response.status, path).to.equal(401);
    }
  });
});
