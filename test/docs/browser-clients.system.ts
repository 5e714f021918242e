/** The pages of docs/clients.md, without a bundler, in a real browser. Skipped if the machine has no Chromium; CI requires it. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ROOT } from '../../src/cli/generate/files.js';
import { useApp } from '../support/app.js';
import { describeInBrowser, useBrowser } from '../support/browser.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { graphql } from '../support/client.js';
import { writePrograms } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { untilRead } from '../support/live.js';
import { CLIENT, type OpenIdServer, startOpenId } from '../support/openid.js';
import { closeServer, listen } from '../support/server.js';
import { forge, logIn, useClock } from '../support/session.js';

const TOKEN_SECONDS = 60;
const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript' };

/** The page of which docs/clients.md has only the functions. */
const LOGIN_PAGE = `<!doctype html><meta charset="utf-8"><title>Log in</title><link rel="icon" href="data:,"><p></p>
  <script type="module">
    import { beginLogin, completeLogin } from './social-login.js';
    import { authorizedFetch, url } from './session.js';
    const show = (text) => { document.querySelector('p').textContent = text; };
    const complete = async () => {
      await completeLogin();
      const { data } = await (await authorizedFetch(url + '/api/members/me')).json();
      show('logged in as ' + data.email);
    };
    if (location.pathname === '/login.html') await beginLogin('HOSTED');
    else await complete().catch((error) => show(error.message));
  </script>`;

describeInBrowser('The pages of docs/clients.md', () => {
  let folder: string;
  const site = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const body = await readFile(join(folder, pathname)).catch(() => null);
    response.statusCode = body ? 200 : 404;
    response.setHeader('Content-Type', TYPES[pathname.split('.').at(-1) ?? ''] ?? 'text/plain');
    response.end(body);
  });
  let origin: string;
  let openId: OpenIdServer;
  const environment: NodeJS.ProcessEnv = { ACCESS_TOKEN_TTL: `${TOKEN_SECONDS}s` };
  before(async () => {
    origin = `http://127.0.0.1:${await listen(site)}`;
    const redirectUri = `${origin}/callback.html`;
    openId = await startOpenId([redirectUri]);
    Object.assign(environment, {
      CORS_ORIGINS: origin,
      OAUTH_REDIRECT_URIS: redirectUri,
      OAUTH_HOSTED_ISSUER: openId.issuer,
      OAUTH_HOSTED_CLIENT_ID: CLIENT.id,
      OAUTH_HOSTED_CLIENT_SECRET: CLIENT.secret,
    });
  });
  const app = useApp(environment);
  const clock = useClock(app);
  const opened = useBrowser();
  before(async () => {
    folder = await makeFolder();
    await writePrograms(folder, app.url);
    for (const name of ['eventsource', 'eventsource-parser']) {
      const file = fileURLToPath(new URL(`node_modules/${name}/dist/index.js`, ROOT));
      await copyFile(file, join(folder, `${name}.js`));
    }
    for (const name of ['login.html', 'callback.html']) await writeFile(join(folder, name), LOGIN_PAGE);
  });
  after(() => Promise.all([openId.close(), closeServer(site)]));
  let page: Page;
  beforeEach(() => {
    page = opened.tab.page;
  });

  it('show notifications, also those during an interruption, until the session ends', async () => {
    const [member, commenter] = [await buildMember(app.url), await buildMember(app.url)];
    const token = forge(commenter.token, { exp: Math.floor(Date.now() / 1000) + 3600 });
    const article = await buildArticle(app.url, {}, member);
    const comment = () => buildComment(app.url, article.id, {}, { ...commenter, token });
    const shown = (count: number) => page.locator(`li:nth-child(${count})`).waitFor();
    await page.goto(`${origin}/notifications.html`);
    await page.locator('[name=email]').fill(member.email);
    await page.locator('[name=password]').fill(member.password);
    const isOpen = untilRead();
    await page.getByRole('button').click();
    await isOpen;
    await comment();
    await shown(1);
    expect(await page.locator('li').textContent()).to.include('commented on');
    // The stream ends with its token.
    const renewal = page.waitForRequest(/refresh/);
    clock.advance(TOKEN_SECONDS);
    await renewal;
    await comment();
    await shown(2);
    await page.route(/stream/, (route) =>
      route.fulfill({ status: 503, headers: { 'Access-Control-Allow-Origin': origin } }),
    );
    const refusal = page.waitForResponse((response) => response.status() === 503);
    clock.advance(TOKEN_SECONDS);
    await refusal;
    await comment();
    await page.unroute(/stream/);
    await shown(3);
    expect(await page.locator('li').count()).to.equal(3);
    const { accessToken } = await logIn(app.url, member);
    await graphql(app.url, 'mutation { endOtherSessions { id } }', {}, accessToken);
    await page.getByRole('button').waitFor();
  });

  it('log in with a provider, once for each code', async () => {
    openId.people.set('owl', { sub: 'owl', email: 'owl@example.com', email_verified: true, name: 'Owl' });
    await page.goto(`${origin}/login.html`);
    await page.locator('[name=login]').fill('owl');
    await page.locator('[name=password]').fill('any');
    await page.getByRole('button').click();
    const back = page.waitForRequest((request) => request.url().includes('callback.html?code'));
    await page.getByRole('button', { name: 'Continue' }).click();
    const address = (await back).url();
    await page.getByText('logged in as owl@example.com').waitFor();
    expect(page.url()).to.equal(`${origin}/callback.html`);
    await page.goto(address);
    await page.getByText('This login was not begun in this tab.').waitFor();
  });

  it('report that a person has canceled the login at the provider', async () => {
    await page.goto(`${origin}/login.html`);
    await page.getByText('Cancel').click();
    await page.getByText('access_denied').waitFor();
  });
});
