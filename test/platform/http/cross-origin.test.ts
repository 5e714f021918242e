/** Requests of pages of other origins: the log entry of a refused one, and the origin of Apollo Sandbox. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { readableLog } from '../../support/log.js';
import { sendRaw } from '../../support/raw.js';

describe('A refused origin', () => {
  const { log, lines } = readableLog('warn');
  const app = useApp({ CORS_ORIGINS: 'https://good.example', PUBLIC_URL: 'https://api.example' }, { log });
  const origins = () => lines.splice(0).map((line) => JSON.parse(line).origin);
  // fetch has a Sec-Fetch-Mode of its own.
  const send = (origin: string, method = 'GET', header = 'Content-Length: 0') =>
    sendRaw(
      app.url,
      [`${method} /api/tags HTTP/1.1`, `Host: ${new URL(app.url).host}`, `Origin: ${origin}`]
        .concat(header, 'Connection: close', '', '')
        .join('\r\n'),
    );

  it('is logged once, with the setting, for a preflight and for a request without one', async () => {
    for (const origin of ['https://good.example', 'https://one.example', 'https://one.example']) {
      await send(origin, 'OPTIONS', 'Access-Control-Request-Method: POST');
      await send(origin);
    }
    expect(lines[0]).to.include('CORS_ORIGINS');
    expect(origins()).to.deep.equal(['https://one.example']);
    await send('https://two.example');
    await send('https://two.example', 'POST');
    expect(origins()).to.deep.equal(['https://two.example']);
  });

  it('is not logged for pages of the service itself, and for forms and links', async () => {
    await send('https://api.example', 'POST');
    await send(app.url, 'POST');
    await send('https://alias.example', 'POST', 'Sec-Fetch-Site: same-origin');
    await send('https://mail.example', 'POST', 'Sec-Fetch-Mode: navigate');
    expect(origins()).to.deep.equal([]);
  });

  it('is logged at most 20 times an hour', async () => {
    for (let number = 0; number < 40; number++) await send(`https://${number}.example`);
    // Two were logged before.
    expect(origins()).to.have.lengthOf(18);
  });
});

describe('Apollo Sandbox', () => {
  const ORIGIN = 'https://studio.apollographql.com';
  const https = { PUBLIC_URL: 'https://api.example' };
  const cases: [string, boolean, NodeJS.ProcessEnv][] = [
    ['without https', true, {}],
    ['with https', false, https],
    ['with https and APOLLO_SANDBOX=true', true, { ...https, APOLLO_SANDBOX: 'true' }],
    ['without introspection', false, { GRAPHQL_INTROSPECTION: 'false', APOLLO_SANDBOX: 'true' }],
    ['with APOLLO_SANDBOX=false', false, { APOLLO_SANDBOX: 'false' }],
  ];
  for (const [title, isAllowed, environment] of cases) {
    describe(title, () => {
      const app = useApp(environment);
      const open = (search: string) => fetch(`${app.url}/graphql${search}`, { headers: { Accept: 'text/html' } });

      it(`is ${isAllowed ? 'offered' : 'not offered'} at /graphql, whose page needs no other host`, async () => {
        const response = await open('');
        const page = await response.text();
        expect(response.status).to.equal(200);
        expect(response.headers.get('Content-Security-Policy')).to.include("default-src 'none'");
        expect(page).to.not.match(/<script|apollographql/);
        expect(page).to.include('href="/graphiql"');
        expect(page.includes('href="/graphql?sandbox"')).to.equal(isAllowed);
        const sandbox = await open('?sandbox');
        expect([sandbox.status, (await sandbox.text()).includes('apollographql.com')]).to.deep.equal([200, isAllowed]);
      });

      it(`may ${isAllowed ? '' : 'not '}call the service from its website`, async () => {
        const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' };
        const response = await fetch(`${app.url}/graphql`, { method: 'OPTIONS', headers });
        expect(response.headers.get('Access-Control-Allow-Origin')).to.equal(isAllowed ? ORIGIN : null);
      });
    });
  }

  describe('and /graphql', () => {
    const app = useApp();

    it('run queries of clients that accept HTML, and of the page of Sandbox', async () => {
      const query = '{ __typename }';
      const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ query });
      const sent = [
        fetch(`${app.url}/graphql?query=${encodeURIComponent(query)}`, { headers: { Accept: '*/*' } }),
        fetch(`${app.url}/graphql`, { method: 'POST', headers: { ...headers, ...browser }, body }),
        fetch(`${app.url}/graphql?sandbox`, { method: 'POST', headers, body }),
      ];
      for (const response of await Promise.all(sent)) {
        expect(await response.json()).to.deep.equal({ data: { __typename: 'Query' } });
      }
    });
  });
});
