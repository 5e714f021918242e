/** The pages in a real browser. Skipped if the machine has no Chromium; CI requires it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { type ColorScheme, describeInBrowser, findViolations, useBrowser } from '../support/browser.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';

describeInBrowser('In a browser', () => {
  const app = useApp();
  const opened = useBrowser();

  /** Inspects the loaded page in light and dark mode, and expects no errors on it. */
  async function inBothLights(name: string, inspect: (page: Page, scheme: ColorScheme) => Promise<void>) {
    const { page, errors } = opened.tab;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, colorScheme);
      await keepPicture(page, `${name}-${colorScheme}`);
      expect(errors, colorScheme).to.deep.equal([]);
    }
  }

  it('shows the front page, with links that all return 200', async () => {
    await opened.tab.load(`${app.url}/`);
    const papers = new Set<string>();
    await inBothLights('front', async (page) => {
      expect(await page.title()).to.equal('Daybook');
      expect(await page.locator('h1').innerText()).to.equal('Daybook');
      papers.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    });
    expect([...papers], 'light and dark').to.have.lengthOf(2);
    const anchors = opened.tab.page.locator('a');
    const links = await anchors.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(links).to.include.members(['/graphiql', '/docs', '/graphql?sandbox', '/openapi.json']);
    for (const link of links) {
      const { status } = await fetch(new URL(link, app.url), { headers: { Accept: 'text/html, */*' } });
      expect(status, link).to.equal(200);
    }
  });

  it('has no violations that axe detects', async () => {
    for (const [path, ready] of PAGES) {
      await opened.tab.load(app.url + path);
      await expectNoViolations(opened.tab.page, ready);
    }
  });

  describe('the explorer', () => {
    it('logs in and keeps the token for the next operation', async () => {
      await opened.tab.load(`${app.url}/graphiql`);
      await inBothLights('graphiql', async (page, scheme) => {
        const { email, password, nickname } = await buildMember(app.url);
        const title = `Eulenspiegel-${scheme}`;
        await buildArticle(app.url, { title });
        // The tab has the name of the operation that ran last.
        await page.locator('.graphiql-tab-button', { hasText: /Register|LogIn/ }).click();
        await page.locator('.graphiql-query-editor', { hasText: 'LogIn' }).waitFor();
        await replaceVariables(page, { email, password });
        await run(page, 'LogIn');
        await page.locator('#who', { hasText: nickname }).waitFor();
        await page.locator('.graphiql-tab-button', { hasText: 'Articles' }).click();
        await page.locator('.graphiql-query-editor', { hasText: 'Articles' }).waitFor();
        await runUntil(page, title);
      });
    });

    it('subscribes using a token, and shows new notifications', async () => {
      const author = await buildMember(app.url);
      const { id } = await buildArticle(app.url, {}, author);
      // The other tests load the page in light mode.
      await opened.tab.load(`${app.url}/graphiql`, 'dark');
      await opened.tab.page.locator('#token').fill(author.token);
      await opened.tab.page.locator('#who', { hasText: author.nickname }).waitFor();
      await inBothLights('graphiql', async (page) => {
        await page.locator('.graphiql-tab-button', { hasText: 'Notifications' }).click();
        await page.locator('.graphiql-query-editor', { hasText: 'notificationReceived' }).waitFor();
        await untilShown(page, async () => (await buildComment(app.url, id)).author.nickname);
        await page.getByRole('button', { name: /stop/i }).click();
      });
    });

    it('runs the first example with one click, stacks its panes on narrow screens, and has no violations that axe detects', async () => {
      const { page, errors } = opened.tab;
      for (const [width, scheme] of [
        [1280, 'dark'],
        [390, 'light'],
      ] as const) {
        await opened.tab.load(`${app.url}/graphiql`, scheme, width);
        await page.locator('.graphiql-query-editor', { hasText: 'Articles' }).waitFor();
        const arrival = page.waitForResponse(
          (response) => response.request().postData()?.includes('Articles') === true,
        );
        await page.locator('.graphiql-execute-button').click();
        const { data, errors: reported } = await (await arrival).json();
        expect(reported, String(width)).to.equal(undefined);
        expect(data.articles.contents).to.be.an('array');
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
        expect(errors).to.deep.equal([]);
        const [editor, response] = await Promise.all(
          ['.graphiql-editors', '.graphiql-response'].map((pane) => page.locator(pane).boundingBox()),
        );
        expect(editor?.width, 'editor').to.be.above(350);
        expect(response?.width, 'response').to.be.above(350);
        if (width === 390) expect(response?.y).to.be.least((editor?.y ?? 0) + (editor?.height ?? 0));
        expect(await findViolations(page), String(width)).to.deep.equal([]);
      }
    });
  });

  // Another load of the reference renders more than a hundred endpoints, which takes as long as a test.
  describe('the reference', () => {
    before(() => opened.tab.load(`${app.url}/docs`));

    it('begins with reading articles, links home, and has no violations that axe detects', async () => {
      const { page } = opened.tab;
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('.opblock-tag').first().getAttribute('data-tag')).to.equal('Article');
      expect(await page.locator('.opblock-summary-path').first().getAttribute('data-path')).to.equal('/api/articles');
      expect(await page.locator('header h1 a').getAttribute('href')).to.equal('/');
      await inBothLights('docs', async (_, scheme) => {
        // Each element of the page takes time: one scheme for each width.
        await page.setViewportSize({ width: scheme === 'light' ? 1280 : 390, height: 844 });
        if (scheme === 'dark') await openEndpoint(page, 'post', '/api/auth/login');
        await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
        expect(await findViolations(page), scheme).to.deep.equal([]);
      });
    });

    it('registers, logs in and writes without typing', async () => {
      const { page } = opened.tab;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 844 });
      await page.locator('.opblock').first().waitFor();
      await buildArticle(app.url);
      await page.getByRole('link', { name: 'register' }).click();
      await page.locator('#operations-Auth-register .execute').waitFor();
      const statuses = [];
      for (const [method, path] of [
        ['post', '/api/auth/register'],
        ['post', '/api/auth/login'],
        ['post', '/api/articles'],
        ['post', '/api/articles/{articleId}/comments'],
      ] as const) {
        const block =
          path === '/api/auth/register'
            ? page.locator('#operations-Auth-register')
            : await openEndpoint(page, method, path);
        const arrival = page.waitForResponse((response) => response.request().method() === 'POST');
        await block.getByRole('button', { name: 'Execute' }).click();
        statuses.push((await arrival).status());
        await block.locator('.live-responses-table').waitFor();
      }
      expect(statuses).to.deep.equal([201, 200, 201, 201]);
    });
  });

  describe('the reference, for a member', () => {
    before(() => opened.tab.load(`${app.url}/docs`));

    it('logs in and calls endpoints as this member', async () => {
      const { page } = opened.tab;
      await inBothLights('docs', async (_, scheme) => {
        const { email, password, nickname } = await buildMember(app.url);
        const title = `Eulenspiegel-${scheme}`;
        await buildArticle(app.url, { title });
        const login = await openEndpoint(page, 'post', '/api/auth/login');
        await login.locator('textarea').fill(JSON.stringify({ email, password }));
        await login.getByRole('button', { name: 'Execute' }).click();
        await login.locator('.live-responses-table', { hasText: 'accessToken' }).waitFor();
        // The second login has to show a response of its own.
        await login.getByRole('button', { name: 'Clear' }).click();
        await login.locator('.live-responses-table').waitFor({ state: 'detached' });
        const me = await openEndpoint(page, 'get', '/api/members/me');
        await me.getByRole('button', { name: 'Execute' }).click();
        await me.locator('.live-responses-table', { hasText: nickname }).waitFor();
        const articles = await openEndpoint(page, 'get', '/api/articles');
        await articles.getByRole('button', { name: 'Execute' }).click();
        await articles.locator('.live-responses-table', { hasText: title }).waitFor();
      });
    });

    it('sends every multipart request without typing', async () => {
      const member = await buildMember(app.url);
      const { id } = await buildArticle(app.url, {}, member);
      const { page } = opened.tab;
      await page.route('**/api/**', (route) => {
        const request = route.request();
        const headers = { ...request.headers(), authorization: `Bearer ${member.token}` };
        // The example names an article of another member.
        return route.continue({ headers, url: request.url().replace(/articles\/\d+$/, `articles/${id}`) });
      });
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
      await page.unroute('**/api/**');
    });
  });
});

/** Expects that axe detects nothing outside of the component of another project, with two widths. */
async function expectNoViolations(page: Page, ready: string, component?: string): Promise<void> {
  await page.locator(ready).first().waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await findViolations(page, component), `${page.url()} ${width}`).to.deep.equal([]);
  }
  await page.setViewportSize({ width: 1280, height: 844 });
}

/** An operation of openapi.json. */
interface Operation {
  requestBody?: { content: object & { 'multipart/form-data'?: object } };
  responses: object;
}

/** Pages without components of other projects, and an element that shows when the page is complete. */
const PAGES: [path: string, ready: string][] = [
  ['/', 'h1'],
  ['/graphql', 'h1'],
  ['/oauth/callback', 'h1'],
  ['/account/passkeys', '#log-in'],
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

/**
 * Starts the subscription and repeats the event until the page shows it: the page does not show when it is subscribed.
 *
 * @param act causes the event, and returns words of its text
 */
async function untilShown(page: Page, act: () => Promise<string>): Promise<void> {
  const start = page.getByRole('button', { name: /execute query/i });
  for (let tries = 0; tries < 20; tries++) {
    if (await start.isVisible()) await start.click();
    // The editor shows spaces as other characters.
    const text = new RegExp((await act()).split(' ').join('\\s'));
    const resultWindow = page.locator('.result-window', { hasText: text });
    const isShown = await resultWindow.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  throw new Error('The page showed no event.');
}

/** Expands it, unless it is. Swagger UI keeps only those operations of a long list in the page that are near the visible part. */
async function openEndpoint(page: Page, method: string, path: string) {
  const block = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
  const control = block.locator('.opblock-summary-control').first();
  await page.locator('.opblock').first().waitFor();
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  for (let top = 0; top < height && (await control.count()) === 0; top += 400)
    await page.evaluate(
      `new Promise((done) => { scrollTo(0, ${top}); requestAnimationFrame(() => requestAnimationFrame(done)); })`,
    );
  if ((await control.getAttribute('aria-expanded')) !== 'true') await control.click();
  return block;
}

/** Saves a screenshot if SCREENSHOTS names a folder. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
