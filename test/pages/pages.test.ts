/** The pages in a real browser. Skipped if the machine has no Chromium; CI requires it. */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { browserPath, openBrowser, openPage } from '../support/browser.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';

if (!browserPath && process.env.CI) throw new Error('CI needs Chromium');
const suffix = browserPath ? '' : ' (skipped: no Chromium was found; set CHROMIUM_PATH to its path)';

(browserPath ? describe : describe.skip)(`In a browser${suffix}`, function () {
  this.timeout(180_000);
  const app = useApp();
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  /** Opens a page in light and dark mode, and expects no errors on it. */
  async function inBothLights(path: string, inspect: (page: Page, scheme: 'light' | 'dark') => Promise<void>) {
    for (const scheme of ['light', 'dark'] as const) {
      const { page, errors } = await openPage(browser, app.url, scheme);
      await page.goto(app.url + path);
      await inspect(page, scheme);
      await keepPicture(page, `${path.slice(1) || 'front'}-${scheme}`);
      expect(errors, scheme).to.deep.equal([]);
      await page.close();
    }
  }

  it('shows the front page, with links that all return 200', async () => {
    const papers = new Set<string>();
    await inBothLights('/', async (page) => {
      expect(await page.title()).to.equal('Daybook');
      expect(await page.locator('h1').innerText()).to.equal('Daybook');
      papers.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      const links = await page.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
      expect(links).to.include.members(['/graphiql', '/docs', '/graphql', '/openapi.json']);
      for (const link of links) {
        const { status } = await fetch(new URL(link, app.url), { headers: { Accept: 'text/html, */*' } });
        expect(status, link).to.equal(200);
      }
    });
    expect([...papers], 'light and dark').to.have.lengthOf(2);
  });

  it('logs in with the explorer and keeps the token for the next operation', async () => {
    const { email, password, nickname } = await buildMember(app.url);
    const title = 'Eulenspiegel';
    await buildArticle(app.url, { title });
    await inBothLights('/graphiql', async (page) => {
      await page.locator('.graphiql-tab-button', { hasText: 'Register' }).click();
      await page.locator('.graphiql-query-editor', { hasText: 'LogIn' }).waitFor();
      await replaceVariables(page, { email, password });
      await run(page, 'LogIn');
      await page.locator('#who', { hasText: nickname }).waitFor();
      await page.locator('.graphiql-tab-button', { hasText: 'Articles' }).click();
      await page.locator('.graphiql-query-editor', { hasText: 'Articles' }).waitFor();
      await runUntil(page, title);
    });
  });

  it('subscribes with the explorer using a token, and shows new notifications', async () => {
    const author = await buildMember(app.url);
    const { id } = await buildArticle(app.url, {}, author);
    await inBothLights('/graphiql', async (page) => {
      await page.locator('#token').fill(author.token);
      await page.locator('#who', { hasText: author.nickname }).waitFor();
      await page.locator('.graphiql-tab-button', { hasText: 'Notifications' }).click();
      await page.locator('.graphiql-query-editor', { hasText: 'notificationReceived' }).waitFor();
      const { nickname } = await untilShown(page, async () => (await buildComment(app.url, id)).author);
      await page.locator('.result-window', { hasText: nickname.split(' ')[0] ?? '' }).waitFor();
      await page.getByRole('button', { name: /stop/i }).click();
    });
  });

  it('runs the first example of the explorer with one click, also with a width of 390 pixels', async () => {
    for (const width of [1280, 390]) {
      const { page, errors } = await openPage(browser, app.url, 'light');
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${app.url}/graphiql`);
      await page.locator('.graphiql-query-editor', { hasText: 'Articles' }).waitFor();
      const arrival = page.waitForResponse((response) => response.request().postData()?.includes('Articles') === true);
      await page.locator('.graphiql-execute-button').click();
      const { data, errors: reported } = await (await arrival).json();
      expect(reported, String(width)).to.equal(undefined);
      expect(data.articles.contents).to.be.an('array');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      expect(errors).to.deep.equal([]);
      await page.close();
    }
  });

  it('sends every multipart request of the reference without typing', async () => {
    const member = await buildMember(app.url);
    const { id } = await buildArticle(app.url, {}, member);
    const { page } = await openPage(browser, app.url, 'light');
    await page.route('**/api/**', (route) => {
      const request = route.request();
      const headers = { ...request.headers(), authorization: `Bearer ${member.token}` };
      // The example names an article of another member.
      return route.continue({ headers, url: request.url().replace(/articles\/\d+$/, `articles/${id}`) });
    });
    await page.goto(`${app.url}/docs`);
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const sent = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        if (!requestBody?.content['multipart/form-data']) continue;
        const block = await openEndpoint(page, method, path);
        expect(await block.locator('.content-type').first().inputValue()).to.equal('multipart/form-data');
        const arrival = page.waitForResponse((response) => response.request().method() === method.toUpperCase());
        await block.getByRole('button', { name: 'Execute' }).click();
        const received = await arrival;
        expect(Object.keys(responses), `${method} ${path}`).to.include(String(received.status()));
        expect(received.ok(), `${method} ${path} ${received.status()}`).to.equal(true);
        sent.push(`${method} ${path}`);
      }
    }
    expect(sent).to.have.length.above(3);
    await page.close();
  });

  it('has no violations that axe detects, except in the components of GraphiQL and Swagger UI', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const [path, upstream, ready] of PAGES) {
      for (const width of [1280, 390]) {
        const page = await browser.newPage({ viewport: { width, height: 844 }, bypassCSP: true });
        await page.goto(app.url + path);
        await page.locator(ready).first().waitFor();
        await page.evaluate(axe);
        const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          `axe.run({ exclude: [${JSON.stringify(upstream)}] })`,
        );
        const found = violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
        expect(found, `${path} ${width}`).to.deep.equal([]);
        await page.close();
      }
    }
  });

  it('logs in with the reference and calls endpoints as this member', async () => {
    const { email, password, nickname } = await buildMember(app.url);
    await buildArticle(app.url, { title: 'Eulenspiegel' });
    await inBothLights('/docs', async (page) => {
      const login = await openEndpoint(page, 'post', '/api/auth/login');
      await login.locator('textarea').fill(JSON.stringify({ email, password }));
      await login.getByRole('button', { name: 'Execute' }).click();
      await login.locator('.live-responses-table', { hasText: 'accessToken' }).waitFor();
      const me = await openEndpoint(page, 'get', '/api/members/me');
      await me.getByRole('button', { name: 'Execute' }).click();
      await me.locator('.live-responses-table', { hasText: nickname }).waitFor();
      const articles = await openEndpoint(page, 'get', '/api/articles');
      await articles.getByRole('button', { name: 'Execute' }).click();
      await articles.locator('.live-responses-table', { hasText: 'Eulenspiegel' }).waitFor();
    });
  });
});

/** An operation of openapi.json. */
interface Operation {
  requestBody?: { content: object & { 'multipart/form-data'?: object } };
  responses: object;
}

/** Each page, the component of another project on it, and an element that shows when the page is complete. */
const PAGES: [path: string, upstream: string, ready: string][] = [
  ['/', 'none', 'h1'],
  ['/oauth/callback', 'none', 'h1'],
  ['/account/passkeys', 'none', '#log-in'],
  ['/graphiql', '.graphiql-container', '.graphiql-execute-button'],
  ['/docs', '.swagger-ui', '.opblock'],
];

async function replaceVariables(page: Page, variables: object): Promise<void> {
  const editor = page.locator('.graphiql-editor-tool .monaco-editor').first();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(JSON.stringify(variables));
  // The editor may have closed brackets by itself.
  await page.keyboard.press('ControlOrMeta+Shift+End');
  await page.keyboard.press('Delete');
}

/** Runs one operation of a tab with several operations. */
async function run(page: Page, operation: string): Promise<void> {
  await page.locator('.graphiql-execute-button').click();
  await page.getByRole('menuitem', { name: operation }).click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** Presses until the response contains the text: a newly opened tab does not have its operation at once. */
async function runUntil(page: Page, text: string): Promise<void> {
  const resultWindow = page.locator('.result-window', { hasText: text });
  for (let presses = 0; presses < 10; presses++) {
    await page.locator('.graphiql-execute-button').click();
    const isThere = await resultWindow.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error(`There was no response with ${text}.`);
}

/** Starts the subscription and repeats the event until the page shows it: the page does not show when it is subscribed. */
async function untilShown<Result>(page: Page, act: () => Promise<Result>): Promise<Result> {
  const start = page.getByRole('button', { name: /execute query/i });
  const resultWindow = page.locator('.result-window', { hasText: 'notificationReceived' });
  for (let tries = 0; tries < 20; tries++) {
    if (await start.isVisible()) await start.click();
    const result = await act();
    const isShown = await resultWindow.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return result;
  }
  throw new Error('The page showed no event.');
}

async function openEndpoint(page: Page, method: string, path: string) {
  const block = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
  await block.locator('.opblock-summary-control').first().click();
  return block;
}

/** Saves a screenshot if SCREENSHOTS names a folder. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
