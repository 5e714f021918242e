/** The example front end in a real browser: every page and form, what each page requests, and what happens when something fails. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { BrowserContextOptions, Locator, Page, Response } from 'playwright-core';
import { ROOT } from '../../src/cli/generate/files.js';
import { useApp } from '../support/app.js';
import { COLOR_RULES, describeInBrowser, findViolations, useBrowser } from '../support/browser.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import {
  Between,
  BLOG,
  type Blog,
  buildBlog,
  markAsBuilt,
  npm,
  startBlog,
  startExample,
} from '../support/example-blog.js';
import { makeFolder } from '../support/folder.js';
import { makeModerator } from '../support/held.js';
import { flat } from '../support/images.js';
import { tokenFor } from '../support/links.js';
import { buildSeries } from '../support/series.js';
import { closeServer, freePort, listen } from '../support/server.js';
import { startSmtp } from '../support/smtp.js';
import { until } from '../support/until.js';

interface Figures {
  title: string;
  cached: { requests: string[]; statements: number };
  uncached: { statements: number };
}

const MARKUP = '<b>nick</b>';

const smtp = await startSmtp();
const port = await freePort();
const SITE = `http://localhost:${port}`;
after(() => smtp.close());

describe('npm run example', function () {
  this.timeout(600_000);

  it('builds the example, starts the service and it, with the sample journal, and stops both', async () => {
    await rm(`${BLOG}dist`, { recursive: true, force: true });
    const [port, sitePort] = [String(await freePort()), String(await freePort())];
    const example = startExample({
      PORT: port,
      EXAMPLE_PORT: sitePort,
      DATA_DIR: await makeFolder(),
      LOG_LEVEL: 'warn',
    });
    const site = `http://localhost:${sitePort}`;
    try {
      await until(() => example.output().includes(`  Example   ${site}\n`) || example.hasEnded());
      expect(example.output()).to.include('Log in as one of them:');
      markAsBuilt();
      const page = await (await fetch(site)).text();
      expect(page.match(/class="entry/g)).to.have.lengthOf.above(10);
      const service = `http://localhost:${port}`;
      expect(await (await fetch(`${service}/feed.atom`)).text()).to.include(`${site}/articles/`);
      const [author, other] = [...example.output().matchAll(/^ {2}(\S+@example\.org) +(\S.*)$/gm)];
      const password = /with the password {2}(\S+)/.exec(example.output())?.[1];
      const { body } = await call(service, 'POST /api/auth/login', { json: { email: author?.[1], password } });
      const mention = { token: body?.data.accessToken, json: { title: 'Mention', content: `For @[${other?.[2]}].` } };
      const created = await call(service, 'POST /api/articles', mention);
      const rendered = await fetch(`${service}/api/articles/${created.body?.data.id}/rendered`);
      expect(await rendered.text()).to.include(`${site}/members/`);
    } finally {
      await example.stop();
    }
    const isUp = await fetch(site).then(
      () => true,
      () => false,
    );
    expect(isUp).to.equal(false);
  });

  it('names the variable of a port that something else uses, and ends', async () => {
    const other = createServer((_request, response) => void response.end('{}'));
    const [used, free] = [String(await listen(other)), String(await freePort())];
    const start = async (PORT: string, EXAMPLE_PORT: string) => {
      const example = startExample({ PORT, EXAMPLE_PORT, DATA_DIR: await makeFolder(), LOG_LEVEL: 'warn' });
      return { code: await example.ended, output: example.output() };
    };
    expect(await start(free, used)).to.deep.equal({
      code: 1,
      output: `The example cannot listen on port ${used} (EADDRINUSE): set EXAMPLE_PORT to another port.\n`,
    });
    expect(await start(used, free)).to.deep.equal({
      code: 1,
      output: `Daybook cannot start. Port ${used} is in use by another program: stop it, or set PORT to another port.\n`,
    });
    await closeServer(other);
  });
});

describeInBrowser('The example front end', () => {
  const app = useApp({
    ...smtp.environment,
    TRUST_PROXY: '1',
    COMMENT_APPROVAL: 'first',
    WEBAUTHN_RP_ID: 'localhost',
    WEBAUTHN_ORIGINS: SITE,
    ACCOUNT_URL: `${SITE}/account`,
  });
  const between = new Between(() => app.url);
  const opened = useBrowser();
  let blog: Blog;
  let author: BuiltMember;
  let reader: BuiltMember;
  let moderator: BuiltMember;
  let article: BuiltArticle;
  let series: number;

  before(async function () {
    this.timeout(600_000);
    await between.start();
    await buildBlog();
    const environment = { DAYBOOK_URL: between.url, DAYBOOK_PUBLIC_URL: app.url, DAYBOOK_TIMEOUT_MS: '5000' };
    blog = await startBlog(port, { ...environment, SITE_URL: SITE, SITE_LANGUAGES: 'en,ko,ar' });
    [author, reader, moderator] = [await buildMember(app.url), await buildMember(app.url), await buildMember(app.url)];
    await makeModerator(app, moderator);
    const content = 'The fog comes in from the sea.\n\n## At nine\n\nIt lifts at nine, says **everyone**.';
    article = await buildArticle(app.url, { title: 'Fog', content, tags: ['sea', 'weather'] }, author);
    for (let index = 1; index <= 14; index++) {
      const text = index % 2 ? '등대의 아침은 조용하다. 바다에서 안개가 온다.' : 'A quiet morning at the lighthouse.';
      await buildArticle(
        app.url,
        { title: `${index % 2 ? '등대' : 'Lighthouse'} ${index}`, content: text, tags: ['sea'] },
        author,
      );
    }
    await buildArticle(app.url, { title: 'صباح هادئ', content: 'الضباب يأتي من البحر في الصباح.' }, author);
    series = await buildSeries(app.url, author, [article]);
    const { id } = await buildComment(app.url, article.id, { content: 'I have seen it lift.' }, author);
    await buildComment(app.url, article.id, { content: 'At nine?', parentCommentId: id }, author);
    // The comments of those who have an approved one do not wait.
    const first = await buildComment(app.url, article.id, { content: 'I believe it.' }, reader);
    const approval = { token: author.token, json: { approved: true } };
    expect((await call(app.url, `PUT /api/comments/${first.id}/approval`, approval)).status).to.equal(200);
  });
  after(async () => {
    await blog.stop();
    await between.stop();
  });

  async function visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await opened.browser.newContext({ locale: 'en-US', baseURL: SITE, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    return page;
  }

  async function logIn(page: Page, { email, password }: Pick<BuiltMember, 'email' | 'password'>): Promise<void> {
    await page.goto('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await press(page, 'Log in');
    await page.waitForURL('/');
  }

  /** With a new session, whose cookies are those of `logIn`. */
  async function signedIn({ email, password }: BuiltMember, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await visitor(options);
    const { body } = await call(app.url, 'POST /api/auth/login', { json: { email, password } });
    const { accessToken, refreshToken } = body?.data ?? {};
    const cookies = Object.entries({ 'daybook-access': accessToken, 'daybook-refresh': refreshToken });
    const ofSite = { url: SITE, httpOnly: true, sameSite: 'Lax' } as const;
    await page.context().addCookies(cookies.map(([name, value]) => ({ name, value, ...ofSite })));
    return page;
  }

  const close = (page: Page) => page.context().close();
  const press = (where: Page | Locator, name: string) =>
    where.getByRole('button', { name, exact: true }).first().click();
  const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
  const toast = (page: Page, text: RegExp) => page.locator('.toasts', { hasText: text }).waitFor();
  const open = (where: Page | Locator, name: string) => where.locator('summary', { hasText: name }).first().click();
  const comments = async () =>
    (await call(app.url, `GET /api/articles/${article.id}/comments`)).body?.data.contents as {
      id: number;
      content: string;
    }[];

  /** A new draft in the editor. @returns its id */
  async function newDraft(page: Page): Promise<string> {
    await page.goto('/write');
    await press(page, 'New text');
    await page.waitForURL(/\/write\/\d+$/);
    return page.url().split('/').at(-1) ?? '';
  }

  const draft = async (id: string, { token } = author) =>
    (await call(app.url, `GET /api/drafts/${id}`, { token })).body?.data as
      | { title: string; content: string }
      | undefined;
  const isStored = (id: string, content: string) =>
    until(async () => (await draft(id))?.content === content, undefined, 100);

  it('is typed', async () => {
    expect(await npm('run', 'check')).to.include('- 0 errors');
  });

  it('names the variable of a port that something else uses, and ends', async () => {
    const { port } = new URL(between.url);
    const env = { ...process.env, HOST: '127.0.0.1', PORT: port };
    const { status, stderr } = spawnSync(process.execPath, ['server.js'], { cwd: BLOG, env, encoding: 'utf8' });
    const output = `The example cannot listen on port ${port} (EADDRINUSE): set PORT to another port.\n`;
    expect([status, stderr]).to.deep.equal([1, output]);
  });

  it('reads each page with one request, also for members, and in 60 KB of scripts without a shift of the layout', async () => {
    const { body } = await call(app.url, 'GET /api/articles/archive');
    const month = body?.data.contents[0];
    const pages: [string, string][] = [
      ['/', 'Front'],
      ['/?page=2', 'Front'],
      ['/?q=lighthouse', 'Front'],
      ['/?tag=sea', 'Front'],
      ['/?language=en', 'Front'],
      ['/articles/fog', 'ArticlePage'],
      [`/members/${author.id}`, 'MemberPage'],
      [`/series/${series}`, 'SeriesPage'],
      ['/archive', 'Archive'],
      [`/archive/${month.year}/${String(month.month).padStart(2, '0')}`, 'Archive'],
    ];
    const ofMembers: [string, string][] = [
      ['/reading/bookmarks', 'Reading'],
      ['/reading/following', 'Reading'],
      ['/notifications', 'Notifications'],
      ['/moderation', 'Moderation'],
      ['/write', 'Texts'],
      ['/settings', 'Settings'],
    ];
    for (const [page, list] of [
      [await visitor(), pages],
      [await signedIn(reader), [...pages, ...ofMembers]],
    ] as const) {
      const shifts =
        'let shift = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) self.shift = (self.shift ?? 0) + value; })';
      await page.addInitScript(`${shifts}.observe({ type: 'layout-shift', buffered: true })`);
      for (const [path, operation] of list) {
        between.take();
        let bytes = 0;
        const count = async (response: Response) => {
          if (response.request().resourceType() === 'script') bytes += (await response.body()).length;
        };
        page.on('response', count);
        const response = await page.goto(path, { waitUntil: 'networkidle' });
        page.off('response', count);
        expect([path, response?.status(), between.take()]).to.deep.equal([path, 200, [operation]]);
        expect(bytes, `bytes of scripts of ${path}`).to.be.within(1, 60_000);
        expect(await page.evaluate('self.shift ?? 0'), `layout shift of ${path}`).to.equal(0);
      }
      await close(page);
    }
  });

  it('has no violations that axe detects, and fits into 320 and 1280 pixels, in both schemes and languages', async () => {
    const page = await signedIn(author);
    const id = await newDraft(page);
    const paths = [
      '/',
      '/articles/fog',
      `/members/${author.id}`,
      '/archive',
      '/reading/bookmarks',
      '/notifications',
      '/moderation',
    ];
    const ofMembers = [...paths, '/settings', '/write', `/write/${id}`];
    const lists = ['/?q=lighthouse', '/?q=nothing', '/?tag=sea', '/?language=en', `/series/${series}`];
    const ofVisitors = ['/login', '/register', '/account/reset', '/shared', '/articles/none'];
    const loggedOut = await visitor();
    for (const [tab, list] of [
      [page, ofMembers],
      [loggedOut, ['/', '/articles/fog', ...lists, ...ofVisitors]],
    ] as const) {
      for (const path of list) {
        for (const [width, colorScheme] of [
          [1280, 'light'],
          [320, 'light'],
          [320, 'dark'],
          [1280, 'dark'],
        ] as const) {
          await tab.emulateMedia({ colorScheme });
          await tab.setViewportSize({ width, height: 800 });
          const isFirst = width === 1280 && colorScheme === 'light';
          // Each width and each scheme is loaded once.
          if ((width === 320) === (colorScheme === 'dark')) await tab.goto(path);
          const where = `${path}, ${width}, ${colorScheme}`;
          expect(await findViolations(tab, undefined, isFirst ? undefined : COLOR_RULES), where).to.deep.equal([]);
          expect(await tab.evaluate('document.documentElement.scrollWidth'), where).to.be.at.most(width);
        }
      }
      await close(tab);
    }
    const korean = await visitor({ locale: 'ko-KR' });
    for (const path of ['/', '/articles/fog', ...lists, '/login']) {
      await korean.goto(path);
      expect(await korean.locator('html').getAttribute('lang')).to.equal('ko');
      expect(await findViolations(korean), `${path}, Korean`).to.deep.equal([]);
    }
    await korean.getByRole('link', { name: 'View in English' }).click();
    await korean.getByRole('heading', { name: 'Log in' }).waitFor();
    await close(korean);
  });

  it('shows right-to-left text in its direction, and the newest articles while the reader scrolls', async () => {
    const page = await visitor();
    await page.goto('/');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('article[lang=ar]')).direction`)).to.equal(
      'rtl',
    );
    expect(await page.locator('.entry').count()).to.equal(12);
    await page.getByRole('link', { name: 'Older articles' }).click();
    await page.locator('.entry').nth(15).waitFor();
    expect(new URL(page.url()).search).to.equal('');
    await page.getByRole('searchbox').fill('등대');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Results for “등대”' }).waitFor();
    expect(await page.locator('mark').first().innerText()).to.equal('등대');
    await close(page);
  });

  it('sends the address and the device of the visitor to the service, and a policy to the browser', async () => {
    between.take();
    const headers = { 'User-Agent': 'Journal/3', 'X-Forwarded-For': '192.0.2.7' };
    between.seen.length = 0;
    const response = await fetch(`${SITE}/`, { headers });
    expect(between.seen[0]?.headers).to.include({ 'user-agent': 'Journal/3' });
    expect(between.seen[0]?.headers['x-forwarded-for']).to.match(/^192\.0\.2\.7, (::ffff:)?127\.0\.0\.1$/);
    const policy = response.headers.get('content-security-policy');
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(await response.text()).not.to.match(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  it('rejects forms of other sites, and keeps tokens from scripts', async () => {
    const page = await visitor();
    await logIn(page, reader);
    const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith('daybook-'));
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).to.deep.equal([
      [true, 'Lax'],
      [true, 'Lax'],
    ]);
    const body = new URLSearchParams({ do: 'like', id: String(article.id) });
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    for (const origin of ['https://other.example', 'null', undefined]) {
      const headers = { cookie, ...(origin && { origin }) };
      expect((await fetch(`${SITE}/action`, { method: 'POST', body, headers })).status).to.equal(403);
    }
    await close(page);
  });

  describe('with requests of strangers', () => {
    interface Answer {
      status: number;
      headers: IncomingHttpHeaders;
      text: string;
    }

    /** A request with exactly this path. @param body sent without a Content-Length @param isEndless whether it has no end */
    function raw(path: string, headers = {}, body?: Iterable<string>, isEndless = false): Promise<Answer> {
      return new Promise((resolve, reject) => {
        const own = body ? { origin: SITE, 'content-type': 'application/x-www-form-urlencoded' } : {};
        const options = { host: '127.0.0.1', port, path, method: body ? 'POST' : 'GET', agent: false };
        const sent = request({ ...options, headers: { host: `localhost:${port}`, ...own, ...headers } });
        sent.once('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
          response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
          // The site closes the connection of a body without an end.
          sent.on('error', () => {});
        });
        sent.once('error', reject);
        for (const chunk of body ?? []) sent.write(chunk);
        if (!isEndless) sent.end();
      });
    }
    /** A body of which the site gets more than it may read, and never the end. */
    const endless = (path: string, headers = {}, size = 100_001) => raw(path, headers, ['x'.repeat(size)], true);

    /** Of a new session of the reader. */
    async function cookies(): Promise<string> {
      const json = { email: reader.email, password: reader.password };
      const { body } = await call(app.url, 'POST /api/auth/login', { json });
      return `daybook-access=${body?.data.accessToken}; daybook-refresh=${body?.data.refreshToken}`;
    }

    const FOREIGN = [
      ...['//other.example', '/%5cother.example', '/\\other.example', '/%2fother.example', '/.//other.example'],
      ...['/a/..//other.example', '/%2e%2e//other.example', '/%09/other.example', '/%0d%0a/other.example', '/a%0dX:1'],
      ...['https://other.example', '//other.example//', '/%7f/other.example', '/login//other.example'],
    ];

    it('redirects to its own pages only', async () => {
      for (const path of FOREIGN) {
        const { status, headers } = await raw(`${path}/?ui=en`);
        expect([status, headers.location], path).to.deep.equal([303, '/']);
      }
      for (const path of ['/', '/articles/fog?comments=2', '/?q=a%2Fb', '/articles/%EB%93%B1%EB%8C%80-1'])
        expect((await raw(`${path}${path.includes('?') ? '&' : '?'}ui=en`)).headers.location).to.equal(path);
      const given = [...FOREIGN, '/\t/other.example', '/\r/other.example', 'javascript:alert(1)', '\\\\other.example'];
      for (const path of given) {
        const next = encodeURIComponent(path);
        const view = [`do=view&id=${article.id}&back=${next}`];
        expect((await raw('/action', {}, view)).headers.location, path).to.equal('/');
        const login = await fetch(`${SITE}/login?next=${next}`);
        expect(await login.text(), path).to.include('data-next="/"');
      }
      const form = `email=${encodeURIComponent(reader.email)}&password=${encodeURIComponent(reader.password)}`;
      for (const [next, location] of [
        ['%09/other.example', '/'],
        ['%0d', '/'],
        ['/%2509/other.example', '/'],
        ['/articles/fog?comments=2%23comments', '/articles/fog?comments=2#comments'],
      ])
        expect((await raw(`/login?next=${next}`, {}, [form])).headers, next).to.include({ location });
      for (const path of FOREIGN)
        expect((await raw(path)).text, path).not.to.match(/(href|action)="(\/\/|https?:\/\/other)/);
    });

    it('reads at most 100 kB of a form without a valid session, and 12 MB of a text with one', async () => {
      const type = 'multipart/form-data; boundary=----WebKitFormBoundary0123456789ABCDEF';
      const part = (name: string, value: string) =>
        `------WebKitFormBoundary0123456789ABCDEF\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      function* text(size: number): Generator<string> {
        yield part('do', 'preview');
        yield part('content', '바다에서 안개가 온다. '.repeat(size));
        yield '------WebKitFormBoundary0123456789ABCDEF--\r\n';
      }
      const cookie = await cookies();
      const ofText = { 'content-type': type, accept: 'application/json' };
      const forged = 'daybook-access=a.b.c; daybook-refresh=a.eyJleHAiOjl9.c';
      for (const session of ['', forged, cookie])
        for (const path of ['/action', '/login', '/passkeys', '/articles/fog', '/none'])
          expect((await endless(path, { cookie: session })).status, path).to.equal(413);
      for (const session of ['', forged]) {
        expect((await endless('/write/1', { ...ofText, cookie: session })).status).to.equal(413);
        expect((await raw('/write/1', { ...ofText, cookie: session }, text(10))).status).to.equal(401);
      }
      expect((await raw('/write/1', { ...ofText, cookie }, text(7_000))).status).to.equal(200);
      expect((await endless('/write/1', { ...ofText, cookie }, 12_000_001)).status).to.equal(413);
      const length = { 'content-length': '100001' };
      expect((await raw('/action', length, ['x'.repeat(100_001)])).status).to.equal(413);
    });

    it('limits the number of fields before it parses a form', async () => {
      const headers = { cookie: await cookies(), 'content-type': 'multipart/form-data; boundary=x' };
      const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
      for (const path of ['/action', '/write/1', '/settings']) {
        expect((await raw(path, {}, ['a=&'.repeat(20_000)])).status, path).to.equal(413);
        expect((await raw(path, headers, [part.repeat(50_000), '--x--\r\n'])).status, path).to.equal(413);
      }
    });

    it('sends the headers for security with every response', async () => {
      const paths = [
        '/',
        '/?ui=en',
        '/none',
        '/%',
        '/articles/%ff',
        '//',
        '/login//',
        '/icon.svg',
        '/_image?href=/x',
        '/_image',
      ];
      const answers = [
        ...(await Promise.all([...paths, '/_server-islands/x', '/write/%0d'].map((path) => raw(path)))),
        await raw('/action', { origin: 'https://other.example' }, ['do=view']),
        await endless('/action'),
      ];
      for (const { status, headers } of answers) {
        expect(status).to.be.below(500);
        expect(headers['content-security-policy']).to.match(/default-src 'none'.*frame-ancestors 'none'/);
        expect(headers).to.include({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'strict-origin-when-cross-origin',
        });
      }
    });

    it('rejects what it cannot read with the status of the reason', async () => {
      const none = 'text/plain';
      for (const [status, path, body, headers] of [
        [404, '/_image?href=/x', undefined, {}],
        [404, '/write/%0d', undefined, {}],
        [404, '/action', 'do=constructor', {}],
        [404, '/action', 'do=__proto__', {}],
        [400, '/passkeys', 'do=login&credential=x', {}],
        [400, '/passkeys', 'do=create&credential=', {}],
        [400, '/action', `do=comment&articleId=${article.id}&content=x&key=%C4%80`, { cookie: await cookies() }],
        [400, '/notifications/stream?after=%0a', undefined, { cookie: await cookies() }],
        [400, '/action', 'x', { 'content-type': 'multipart/form-data; boundary=x' }],
        [415, '/action', '{}', { 'content-type': 'application/json' }],
        [415, '/action', '', { 'content-type': none }],
        [200, '/', undefined, { cookie: 'daybook-access=%0d%0aX; daybook-refresh=x' }],
      ] as const)
        expect((await raw(path, headers, body === undefined ? undefined : [body])).status, `${path} ${body}`).to.equal(
          status,
        );
      expect((await fetch(SITE, { method: 'PUT', body: 'x' })).status).to.equal(405);
    });
  });

  it('registers, logs in with a new password and with a passkey', async () => {
    const page = await visitor();
    await page.goto('/register');
    await page.getByLabel('Email').fill('hana@example.org');
    await page.getByLabel('Password').fill('short');
    await page.getByLabel('Nickname, visible to everyone').fill(MARKUP);
    await page.getByLabel('Name, visible only to you').fill('Hana');
    await press(page, 'Register');
    await shows(page, /must be 8 to 128 characters long/);
    expect(await page.getByLabel('Email').inputValue()).to.equal('hana@example.org');
    await page.getByLabel('Password').fill('the fog lifts at nine');
    await press(page, 'Register');
    await page.waitForURL('/');
    expect(await page.locator('.menu summary').innerText()).to.equal(MARKUP);
    await page.locator('.menu summary').click();
    await press(page, 'Log out');
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    expect((await page.context().cookies()).filter(({ name }) => name.startsWith('daybook-'))).to.deep.equal([]);

    await page.goto('/account/reset');
    await page.getByLabel('Email').fill('hana@example.org');
    await press(page, 'Send a link');
    await shows(page, 'Check your inbox');
    const token = await tokenFor(app, smtp, 'reset', 'hana@example.org');
    await page.goto(`/account/reset#token=${token}`);
    await page.getByLabel('New password').fill('the fog lifts at ten');
    expect(page.url()).not.to.include(token);
    await press(page, 'Set the password');
    await shows(page, 'The password was changed');
    await logIn(page, { email: 'hana@example.org', password: 'the fog lifts at ten' });

    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    await session.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, isUserVerified: true } });
    await page.goto('/settings');
    await page.getByLabel('Name of the passkey').fill('Phone');
    await page.locator('[data-passkey-add]').getByLabel('Current password').fill('the fog lifts at ten');
    await press(page, 'Add a passkey');
    await page.locator('#passkeys').getByText('Phone').waitFor();
    await page.context().clearCookies();
    await page.goto('/login');
    await press(page, 'Log in with a passkey');
    await page.waitForURL('/');
    await page.goto('/settings');
    await open(page.locator('#passkeys'), 'Delete');
    await page.locator('#passkeys').getByLabel('Current password').fill('the fog lifts at ten');
    await press(page.locator('#passkeys'), 'Delete');
    await shows(page, 'You have no passkeys.');
    const avatar = { name: 'me.png', mimeType: 'image/png', buffer: await flat(300, 300).png().toBuffer() };
    await page.getByLabel('Image').setInputFiles(avatar);
    await page.getByLabel('Biography').fill('Waits for the fog.');
    await press(page, 'Save');
    await shows(page, 'Saved.');
    expect(await page.locator('main img.avatar').count()).to.equal(1);
    await press(page, 'End all other sessions');
    await close(page);
  });

  it('confirms an address, and undoes a change of it', async () => {
    const page = await visitor();
    await page.goto('/register');
    await page.getByLabel('Email').fill('mina@example.org');
    await page.getByLabel('Password').fill('the fog lifts at nine');
    await page.getByLabel('Nickname, visible to everyone').fill('mina');
    await page.getByLabel('Name, visible only to you').fill('Mina');
    await press(page, 'Register');
    await page.waitForURL('/');
    await page.goto(`/account/confirm#token=${await tokenFor(app, smtp, 'confirm', 'mina@example.org')}`);
    await press(page, 'Confirm the email address');
    await shows(page, 'The email address was confirmed');
    await page.goto('/account/undo#token=unknown');
    await press(page, 'Undo the change of the email address');
    await shows(page, /This link or invitation is not valid/);
    await close(page);
  });

  it('writes, saves, shows, shares, schedules and publishes a text with images', async () => {
    const page = await signedIn(author);
    const id = await newDraft(page);
    await page.getByLabel('Title').fill('A long day');
    await page.getByLabel('Text', { exact: true }).fill('It began with **fog**.');
    await page.getByText(/^Saved at/).waitFor();
    expect(await draft(id)).to.include({ title: 'A long day', content: 'It began with **fog**.' });
    await page.getByLabel('Tags, separated by commas').fill('sea, day');
    const picture = { name: 'sea.png', mimeType: 'image/png', buffer: await flat(1400, 700).png().toBuffer() };
    await page.locator('[data-image] input').setInputFiles(picture);
    await until(async () => /!\[\]\(.+\.webp\)/.test((await draft(id))?.content ?? ''));
    await page.getByLabel('Cover image').setInputFiles(picture);
    await page.locator('.editor-side img').waitFor();
    await page.getByLabel('Description of the image').fill('The sea, in one color');
    await press(page, 'Preview');
    await page.locator('.preview strong', { hasText: 'fog' }).waitFor();
    await press(page, 'Back to the text');

    await open(page, 'Share link');
    await press(page, 'Create a link');
    const link = await page.locator('[data-share-url]').inputValue();
    const other = await visitor();
    await other.goto(link);
    await other.getByRole('heading', { name: 'A long day' }).waitFor();
    expect(other.url()).to.equal(`${SITE}/shared`);
    await press(page, 'End the link');
    await page.getByRole('button', { name: 'End the link' }).waitFor({ state: 'detached' });
    await other.goto(link);
    await other.getByRole('heading', { name: 'This page does not exist' }).waitFor();

    await open(page, 'Schedule');
    await page.getByLabel(/^Time/).fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16));
    await press(page, 'Schedule');
    await shows(page, 'Will be published on');
    await press(page, 'Remove the schedule');
    await page.getByText('Will be published on').waitFor({ state: 'detached' });
    await press(page, 'Publish');
    await page.waitForURL('/articles/a-long-day');
    const image = page.locator('.cover img');
    expect(await image.getAttribute('srcset')).to.match(/-640\.webp 640w/);
    expect([await image.getAttribute('alt'), await image.getAttribute('width')]).to.deep.equal([
      'The sea, in one color',
      '1400',
    ]);
    await press(page, 'Edit');
    await page.waitForURL(/\/write\/\d+$/);
    await open(page, 'Description and address');
    await page.getByLabel('Address', { exact: true }).fill('a-day');
    await press(page, 'Publish');
    await page.waitForURL('/articles/a-day');
    // The former slug leads to the current one.
    await other.goto('/articles/a-long-day');
    expect(other.url()).to.equal(`${SITE}/articles/a-day`);
    await page.goto('/write');
    page.once('dialog', (dialog) => dialog.accept());
    await press(page.locator('#published .row', { hasText: 'A long day' }), 'Delete');
    await page.locator('#published .row', { hasText: 'A long day' }).waitFor({ state: 'detached' });
    await Promise.all([close(page), close(other)]);
  });

  it('writes a translation with its language and description, links both, and filters by language', async () => {
    await buildArticle(app.url, { title: 'Calm', content: 'A calm sea.', language: 'en' }, author);
    const page = await signedIn(author);
    await newDraft(page);
    await page.getByLabel('Title').fill('بحر هادئ');
    await page.getByLabel('Text', { exact: true }).fill('البحر هادئ في الصباح.');
    await page.getByLabel('Translation of').selectOption('Calm');
    await press(page, 'Publish');
    await page.getByText(/^Language.*: is required/).waitFor();
    await page.getByLabel('Language').fill('ar');
    await open(page, 'Description and address');
    await page.getByLabel('Description, for lists').fill('صباح في الميناء');
    await page.getByLabel('Address where it was published first').fill('https://example.org/calm');
    await press(page, 'Publish');
    await page.waitForURL(/\/articles\//);
    const { pathname } = new URL(page.url());
    await page.locator('.prose[lang=ar][dir=rtl]').waitFor();
    const [meta, linked] = [
      (selector: string) => page.locator(`head ${selector}`).getAttribute('content'),
      (selector: string) =>
        page.evaluate(
          `[...document.head.querySelectorAll('${selector}')].map(({ hreflang, href }) => [hreflang, href])`,
        ),
    ];
    for (const selector of ['[name=description]', '[property="og:description"]'])
      expect(await meta(selector)).to.equal('صباح في الميناء');
    expect(await linked('[rel=canonical]')).to.deep.equal([['', 'https://example.org/calm']]);
    const alternates = [
      ['ar', SITE + pathname],
      ['en', `${SITE}/articles/calm`],
    ];
    expect(await linked('[hreflang]')).to.deep.equal(alternates);
    const feed = await page.locator('head [type="application/atom+xml"]').getAttribute('href');
    expect((await fetch(feed ?? '')).status, `${feed}`).to.equal(200);
    await page.getByRole('link', { name: 'example.org' }).waitFor();
    const to = page.locator('.article-header').getByRole('link', { name: 'English' });
    expect([await to.getAttribute('hreflang'), await to.getAttribute('lang')]).to.deep.equal(['en', 'en']);
    await to.click();
    await page.waitForURL('/articles/calm');
    expect(await linked('[rel=canonical]')).to.deep.equal([['', `${SITE}/articles/calm`]]);
    expect(await linked('[hreflang]')).to.deep.equal(alternates.toReversed());
    await press(page, 'Edit');
    expect(await page.getByLabel('Translation of').inputValue()).to.equal('');
    await page.goto('/');
    await page.getByRole('link', { name: 'العربية' }).click();
    await page.waitForURL('/?language=ar');
    expect(await page.locator('.entry').allInnerTexts()).to.have.lengthOf(1);
    await page.locator('.entry', { hasText: 'صباح في الميناء' }).waitFor();
    expect((await page.goto('/?language=!'))?.status()).to.equal(400);
    await close(page);
  });

  it('comments, approves, answers, likes, bookmarks, follows, reports and decides, with live notifications', async () => {
    const [writer, page] = [await signedIn(author), await signedIn(await buildMember(app.url))];
    await writer.goto('/notifications');
    await page.goto('/articles/fog');
    await page.getByLabel('Your comment').first().fill('I saw it at eight.');
    await press(page, 'Send');
    await shows(page, 'Your comment waits for approval');
    await page.locator('.comment', { hasText: 'I saw it at eight.' }).getByText('Waits for approval').waitFor();
    await writer.goto('/moderation');
    await press(writer.locator('.card', { hasText: 'I saw it at eight.' }), 'Approve');
    await shows(writer, 'No comments wait for you.');
    expect((await comments()).map(({ content }) => content)).to.include('I saw it at eight.');

    await writer.goto('/articles/fog');
    await page.goto('/articles/fog');
    const own = writer.locator('.comment', { hasText: 'I saw it at eight.' });
    await open(own, 'Reply');
    await own.getByLabel('Your reply').fill('At eight it was still there.');
    await press(own, 'Send');
    await toast(page, /replied to your comment/);
    await page.locator('[data-unread]', { hasText: /\d/ }).waitFor();

    await press(page, 'Like 0');
    await page.locator('[data-toggle=like] [aria-pressed=true]', { hasText: '1' }).waitFor();
    await press(page, 'Bookmark');
    await page.locator('[data-toggle=bookmark] [aria-pressed=true]').waitFor();
    await press(page, 'Follow');
    await page.locator('[data-toggle=follow] [aria-pressed=true]', { hasText: 'Following' }).waitFor();
    await toast(writer, /follows you/);
    for (const list of ['bookmarks', 'following']) {
      await page.goto(`/reading/${list}`);
      await page.locator('.entry', { hasText: list === 'bookmarks' ? 'Fog' : 'Lighthouse 14' }).waitFor();
    }
    await page.goto('/articles/fog');
    await press(page, 'Like 1');
    await page.locator('[data-toggle=like] [aria-pressed=false]', { hasText: '0' }).waitFor();
    const reply = page.locator('.comment .comment', { hasText: 'At eight it was still there.' });
    await open(reply, 'Report');
    await reply.getByLabel('Details').fill('It was not.');
    await press(reply, 'Report');
    await shows(page, 'Reported. Moderators decide on it.');
    const mine = page.locator('.comment', { hasText: 'I saw it at eight.' }).first();
    await open(mine, 'Change');
    await mine.getByLabel('Your comment').fill('I saw it at nine.');
    await press(mine, 'Save');
    await page.locator('.comment-text', { hasText: 'I saw it at nine.' }).waitFor();

    const judge = await signedIn(moderator);
    await judge.goto('/moderation');
    const entry = judge.locator('.card', { hasText: 'At eight it was still there.' });
    await open(entry, '1 report');
    await entry.getByText('It was not.').waitFor();
    await open(entry, 'Decide');
    await entry.getByLabel('Decision').selectOption('REMOVE');
    await press(entry, 'Decide');
    await entry.locator('output', { hasText: 'Rule that was broken: is required' }).waitFor();
    await entry.getByLabel('Rule that was broken').fill('Facts');
    await entry.getByLabel('Reason, which the member reads').fill('It was not there.');
    await press(entry, 'Decide');
    await shows(judge, 'Nothing waits for a decision.');
    await page.goto('/notifications');
    await press(page, 'Mark all as read');
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    expect(await page.locator('.notification.unread').count()).to.equal(0);
    await page.goto(`/members/${author.id}`);
    await press(page, 'Block');
    await page.locator('[data-toggle=block] [aria-pressed=true]').waitFor();
    await press(page, 'Unblock');
    await page.locator('[data-toggle=block] [aria-pressed=false]').waitFor();
    await Promise.all([close(writer), close(page), close(judge)]);
  });

  it('leads from a notification to its comment, also on a later page, held, or after a hundred replies', async () => {
    const { id } = await buildArticle(app.url, { title: 'Harbor', content: 'Full.' }, author);
    const member = await buildMember(app.url);
    const [first, held] = [
      await buildComment(app.url, id, { content: 'The first one.' }, reader),
      await buildComment(app.url, id, { content: 'It waits.' }, member),
    ];
    for (let index = 0; index < 21; index++) await buildComment(app.url, id, { content: `Later ${index}.` }, author);
    for (let index = 0; index < 100; index++)
      await buildComment(app.url, id, { content: `Reply ${index}.`, parentCommentId: first.id }, author);
    const last = await buildComment(app.url, id, { content: 'The last reply.', parentCommentId: first.id }, reader);
    const page = await signedIn(author);
    await page.goto('/notifications');
    const link = page.getByRole('link', { name: /commented on your article “Harbor”/ });
    await link.last().click();
    for (const [comment, text, number] of [
      [first, 'The first one.', '3'],
      [last, 'The last reply.', '3'],
      [held, 'It waits.', null],
    ] as const) {
      await page.goto(`/articles/harbor?comment=${comment.id}#comment-${comment.id}`);
      expect(page.url()).to.match(new RegExp(`#comment-${comment.id}$`));
      expect(new URL(page.url()).searchParams.get('comments'), text).to.equal(number);
      const shown = page.locator(`#comment-${comment.id} > .comment-text`);
      expect([await shown.count(), await shown.innerText()]).to.deep.equal([1, text]);
    }
    expect(await page.locator(`#comment-${held.id}`).getByText('Reply', { exact: true }).count()).to.equal(0);
    await page.goto('/moderation');
    await page.locator('.card', { hasText: 'It waits.' }).getByRole('link', { name: 'Harbor' }).click();
    await page.locator(`#comment-${held.id}`, { hasText: 'It waits.' }).waitFor();
    await call(app.url, `DELETE /api/comments/${last.id}`, { token: reader.token });
    expect((await page.goto(`/articles/harbor?comment=${last.id}`))?.status()).to.equal(200);
    expect((await page.goto('/articles/harbor?comment=x'))?.status()).to.equal(200);
    await close(page);
  });

  it('shows times in the zone of the reader, in UTC without scripts, and names the number of what is new', async () => {
    const { id } = await buildArticle(app.url, { title: 'Dock', content: 'Empty.' }, author);
    for (let index = 0; index < 21; index++) await buildComment(app.url, id, { content: `No. ${index}` }, reader);
    const options = { timezoneId: 'Asia/Seoul' };
    const [page, plain] = [
      await signedIn(author, options),
      await signedIn(author, { ...options, javaScriptEnabled: false }),
    ];
    await Promise.all([page.goto('/notifications'), plain.goto('/notifications')]);
    const time = page.locator('.notification time').first();
    const expected = (timeZone: string) => {
      const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone });
      return async () => format.format(new Date((await time.getAttribute('datetime')) ?? ''));
    };
    const flat = (text: string) => text.replace(/\s/g, ' ');
    expect(flat(await time.innerText())).to.equal(flat(await expected('Asia/Seoul')()));
    const ofPlain = plain.locator('.notification time').first();
    expect(flat(await ofPlain.innerText())).to.equal(`${flat(await expected('UTC')())} UTC`);
    await plain.getByRole('link', { name: 'Older notifications' }).waitFor();
    const unread = async () => Number(/\d+/.exec((await page.locator('.bell').getAttribute('aria-label')) ?? ''));
    const before = await unread();
    const stream = page.waitForResponse((response) => response.url().includes('/notifications/stream'));
    await page.goto('/');
    await stream;
    await buildComment(app.url, id, { content: 'One more.' }, reader);
    await toast(page, /commented on your article/);
    expect(await unread()).to.equal(before + 1);
    await Promise.all([close(page), close(plain)]);
  });

  it('is read and written without scripts', async () => {
    const page = await visitor({ javaScriptEnabled: false });
    await page.goto('/');
    await page.getByRole('link', { name: 'Older articles' }).click();
    await page.waitForURL('/?page=2');
    await page.getByRole('link', { name: 'Fog', exact: true }).click();
    await shows(page, 'It lifts at nine, says');
    await logIn(page, author);
    await page.goto('/articles/fog');
    await page.getByLabel('Your comment').first().fill('Without scripts.');
    await press(page, 'Send');
    await page.locator('.comment', { hasText: 'Without scripts.' }).waitFor();
    await press(page, 'Like 0');
    await page.getByRole('button', { name: 'Like 1' }).waitFor();
    const id = await newDraft(page);
    await page.getByLabel('Title').fill('Plain');
    await page.getByLabel('Text', { exact: true }).fill('One form,\nand buttons.');
    await press(page, 'Preview');
    await page.locator('.preview', { hasText: 'One form,' }).waitFor();
    await press(page, 'Save');
    expect(await draft(id)).to.include({ title: 'Plain', content: 'One form,\nand buttons.' });
    await call(app.url, `PATCH /api/drafts/${id}`, { token: author.token, json: { content: 'From another window.' } });
    await page.getByLabel('Text', { exact: true }).fill('Mine.');
    await press(page, 'Save');
    await shows(page, 'This draft was saved in another window');
    expect(await page.getByLabel('The stored text').inputValue()).to.equal('From another window.');
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).to.equal('Mine.');
    await press(page, 'Keep mine');
    await isStored(id, 'Mine.');
    await call(app.url, 'DELETE /api/members/me/sessions', { token: author.token });
    await page.getByLabel('Text', { exact: true }).fill('Typed without a session.');
    await press(page, 'Save');
    await shows(page, 'Your session has ended. Nothing is lost');
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).to.equal('Typed without a session.');
    const second = await page.context().newPage();
    await logIn(second, author);
    await press(page, 'Save');
    await isStored(id, 'Typed without a session.');
    await close(page);
  });

  it('shows a page when the service is down or slow, and continues when it is back', async () => {
    const page = await signedIn(reader);
    const stream = page.waitForResponse((response) => response.url().includes('/notifications/stream'));
    await page.goto('/articles/fog');
    const reply = async (content: string) => {
      const parentCommentId = (await comments()).find((comment) => comment.content === 'I believe it.')?.id;
      await buildComment(app.url, article.id, { content, parentCommentId }, author);
    };
    await stream;
    await reply('Before the restart.');
    await toast(page, /replied to your comment/);
    await page.locator('.toasts > *').waitFor({ state: 'detached' });
    await page.getByLabel('Your comment').first().fill('Typed before the restart.');
    for (const [mode, status] of [
      ['down', 503],
      ['silent', 504],
    ] as const) {
      between.mode = mode;
      between.cut();
      await press(page, 'Send');
      await page.locator('.comment-form output', { hasText: /cannot be reached/ }).waitFor();
      expect(await page.getByLabel('Your comment').first().inputValue()).to.equal('Typed before the restart.');
      const other = await visitor();
      const response = await other.goto('/articles/fog');
      expect([response?.status(), response?.headers()['retry-after']]).to.deep.equal([status, '5']);
      await other.getByRole('heading', { name: 'The journal cannot be reached at the moment' }).waitFor();
      expect(await findViolations(other)).to.deep.equal([]);
      between.mode = 'up';
      await other.getByRole('link', { name: 'Load the page again' }).click();
      await other.getByRole('heading', { name: 'Fog' }).waitFor();
      await close(other);
    }
    await reply('During the restart.');
    await press(page, 'Send');
    await page.locator('.comment', { hasText: 'Typed before the restart.' }).waitFor();
    // The stream of notifications was ended too. Opened again, it has what came meanwhile.
    await toast(page, /replied to your comment/);
    await close(page);
  });

  it('keeps what was typed without scripts when the service is down', async () => {
    const page = await signedIn(reader, { javaScriptEnabled: false });
    await page.goto('/articles/fog');
    await page.getByLabel('Your comment').first().fill('Sent twice, written once.');
    between.mode = 'down';
    await press(page, 'Send');
    await shows(page, 'What you typed is here. Nothing was lost.');
    expect(await page.getByLabel('content').inputValue()).to.equal('Sent twice, written once.');
    between.mode = 'up';
    await press(page, 'Send again');
    await page.waitForURL('/articles/fog');
    expect((await comments()).filter(({ content }) => content === 'Sent twice, written once.')).to.have.lengthOf(1);
    await close(page);
  });

  it('renews tokens once for requests that arrive together, and shows members as logged out after their session', async () => {
    const page = await signedIn(reader);
    const context = page.context();
    const isAccess = ({ name }: { name: string }) => name === 'daybook-access';
    const dropAccess = async () => context.clearCookies({ name: 'daybook-access' });
    await page.goto('about:blank');
    await dropAccess();
    between.take();
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const responses = await Promise.all([1, 2, 3].map(() => fetch(`${SITE}/articles/fog`, { headers: { cookie } })));
    expect(between.take().sort()).to.deep.equal(['ArticlePage', 'ArticlePage', 'ArticlePage', 'Refresh']);
    for (const response of responses) expect(await response.text()).to.include(reader.nickname);
    // A browser whose response with the new cookies was lost gets them with its next request.
    await page.goto('/articles/fog');
    expect((await context.cookies()).filter(isAccess)).to.have.lengthOf(1);
    // An open page would find out by itself, and its request would be the one in which the session ends.
    await page.goto('about:blank');
    await call(app.url, 'DELETE /api/members/me/sessions', { token: reader.token });
    between.take();
    await page.goto('/articles/fog');
    await shows(page, 'Your session has ended: log in again to write.');
    await page.getByRole('heading', { name: 'Fog' }).waitFor();
    expect((await context.cookies()).filter(({ name }) => name.startsWith('daybook-'))).to.deep.equal([]);
    await close(page);
  });

  it('loses nothing that is typed into a draft when the session ends, and when the tab is closed', async () => {
    const page = await signedIn(author);
    const id = await newDraft(page);
    await page.getByLabel('Text', { exact: true }).fill('Before.');
    await isStored(id, 'Before.');
    await call(app.url, 'DELETE /api/members/me/sessions', { token: author.token });
    await page.getByLabel('Text', { exact: true }).fill('Typed after the session.');
    await shows(page, 'Your session has ended. Nothing is lost');
    const other = await page.context().newPage();
    await logIn(other, author);
    await press(page, 'Save');
    await isStored(id, 'Typed after the session.');
    between.mode = 'down';
    await page.getByLabel('Text', { exact: true }).fill('Typed while the service is down.');
    await shows(page, 'Your text is kept in this browser');
    await page.close();
    between.mode = 'up';
    await other.goto(`/write/${id}`);
    await shows(other, 'Text that was not saved before was restored from this browser.');
    expect(await other.getByLabel('Text', { exact: true }).inputValue()).to.equal('Typed while the service is down.');
    await isStored(id, 'Typed while the service is down.');
    await close(other);
  });

  it('saves what is typed before the scripts of the page are loaded', async () => {
    const page = await signedIn(author);
    const id = await newDraft(page);
    let load = () => {};
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/*.js', (route) => loaded.then(() => route.continue()));
    await page.goto(`/write/${id}`, { waitUntil: 'commit' });
    await page.getByLabel('Text', { exact: true }).fill('Typed early.');
    load();
    await isStored(id, 'Typed early.');
    await close(page);
  });

  it('lets the author choose between the texts of two tabs, and save one that was published elsewhere', async () => {
    const first = await signedIn(author);
    const id = await newDraft(first);
    const second = await first.context().newPage();
    await second.goto(`/write/${id}`);
    await first.getByLabel('Text', { exact: true }).fill('In the first tab.');
    await isStored(id, 'In the first tab.');
    await second.getByLabel('Text', { exact: true }).fill('In the second tab.');
    await shows(second, 'Choose which text to keep');
    expect(await second.getByLabel('The stored text').inputValue()).to.equal('In the first tab.');
    expect((await draft(id))?.content).to.equal('In the first tab.');
    expect(await findViolations(second)).to.deep.equal([]);
    await press(second, 'Keep mine');
    await isStored(id, 'In the second tab.');
    await first.getByLabel('Text', { exact: true }).fill('In the first tab again.');
    await shows(first, 'Choose which text to keep');
    first.once('dialog', (dialog) => dialog.accept());
    await first.getByRole('link', { name: 'Take the stored one' }).click();
    await first.waitForFunction(`document.querySelector('[name=content]').value === 'In the second tab.'`);
    await call(app.url, `DELETE /api/drafts/${id}`, { token: author.token });
    await second.getByLabel('Title').fill('Kept');
    await shows(second, 'This draft was published or deleted elsewhere.');
    await press(second, 'Save as a new draft');
    await second.waitForURL((to) => /\/write\/\d+$/.test(to.pathname) && !to.pathname.endsWith(`/${id}`));
    expect(await draft(second.url().split('/').at(-1) ?? '')).to.include({
      title: 'Kept',
      content: 'In the second tab.',
    });
    await close(first);
  });

  it('says that an article was changed since the draft began, and that one was removed', async () => {
    const { id } = await buildArticle(app.url, { title: 'Tide', content: 'Low.' }, author);
    const page = await signedIn(author);
    await page.goto('/articles/tide');
    await press(page, 'Edit');
    await page.getByLabel('Text', { exact: true }).fill('High.');
    await page.getByText(/^Saved at/).waitFor();
    await call(app.url, `PUT /api/articles/${id}`, {
      token: author.token,
      json: { title: 'Tide', content: 'Rising.' },
    });
    await press(page, 'Publish');
    await press(page, 'Publish my text anyway');
    await page.waitForURL('/articles/tide');
    await shows(page, 'High.');
    const other = await signedIn(reader);
    await other.goto('/articles/tide');
    await call(app.url, `DELETE /api/articles/${id}`, { token: author.token });
    await other.getByLabel('Your comment').first().fill('Too late.');
    await press(other, 'Send');
    await other.locator('.comment-form output', { hasText: 'The article does not exist.' }).waitFor();
    expect(await other.getByLabel('Your comment').first().inputValue()).to.equal('Too late.');
    await press(other, 'Like 0');
    await other.locator('[data-toggle=like] output', { hasText: 'The article does not exist.' }).waitFor();
    expect((await other.goto('/articles/tide'))?.status()).to.equal(404);
    await Promise.all([close(page), close(other)]);
  });

  it('keeps the page of a reader whose article a moderator removes meanwhile', async () => {
    await buildArticle(app.url, { title: 'Bargain', content: 'Buy a boat.' }, author);
    const page = await signedIn(reader);
    await page.goto('/articles/bargain');
    await press(page, 'Bookmark');
    await page.locator('[data-toggle=bookmark] [aria-pressed=true]').waitFor();
    const actions = page.locator('.article-actions');
    await open(actions, 'Report');
    await press(actions, 'Report');
    await toast(page, /Moderators decide on it/);

    const judge = await signedIn(moderator);
    await judge.goto('/moderation');
    const entry = judge.locator('.card', { hasText: 'Buy a boat.' });
    await open(entry, 'Decide');
    await entry.getByLabel('Decision').selectOption('REMOVE');
    await entry.getByLabel('Rule that was broken').fill('No advertising');
    await entry.getByLabel('Reason, which the member reads').fill('It sells a boat.');
    await press(entry, 'Decide');
    await entry.waitFor({ state: 'detached' });

    const said = 'The article does not exist.';
    for (const [name, toggle] of [
      ['Like 0', 'like'],
      ['Bookmark', 'bookmark'],
    ] as const) {
      await press(page, name);
      await page.locator(`[data-toggle=${toggle}] output`, { hasText: said }).waitFor();
    }
    await page.getByLabel('Your comment').first().fill('How large is it?');
    await press(page, 'Send');
    await page.locator('.comment-form output', { hasText: said }).waitFor();
    expect(await page.getByLabel('Your comment').first().inputValue()).to.equal('How large is it?');
    await shows(page, 'Buy a boat.');
    await page.goto('/reading/bookmarks');
    await page.getByText('Bargain').waitFor({ state: 'detached' });
    expect((await page.goto('/articles/bargain'))?.status()).to.equal(404);
    await Promise.all([close(page), close(judge)]);
  });

  it('writes and shows a text of 100,000 characters, and names with markup as text', async () => {
    const page = await signedIn(author);
    const id = await newDraft(page);
    const text = `${'바다에서 안개가 온다. '.repeat(8_000)}`.slice(0, 99_999).trim();
    await page.getByLabel('Title').fill('All of it');
    await page.getByLabel('Text', { exact: true }).fill(text);
    await isStored(id, text);
    await press(page, 'Publish');
    await page.waitForURL('/articles/all-of-it');
    expect((await page.locator('.prose').innerText()).length).to.be.above(text.length - 10);
    await call(app.url, `PATCH /api/members/me`, {
      token: moderator.token,
      json: { nickname: `${MARKUP}2`, bio: MARKUP },
    });
    await buildComment(app.url, article.id, { content: '<script>alert(1)</script>' }, moderator);
    await page.goto('/articles/fog');
    await page.locator('.comment-text', { hasText: '<script>alert(1)</script>' }).waitFor();
    await page.goto(`/members/${moderator.id}`);
    expect(await page.locator('h1').innerText()).to.equal(`${MARKUP}2`);
    expect(await page.locator('main b', { hasText: 'nick' }).count()).to.equal(0);
    await close(page);
  });
});

describe('The figures of the example front end', function () {
  this.timeout(600_000);

  it('are the numbers of requests and statements in docs/frontends.md', async () => {
    const program = fileURLToPath(new URL('dist/bench/example.js', ROOT));
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--smallest', '--json']);
    const { rows } = JSON.parse(stdout) as { rows: Figures[] };
    const measured = rows.map(({ title, cached, uncached }) =>
      [title, cached.requests.length, cached.statements, uncached.statements].join(' | '),
    );
    const table = readFileSync(new URL('docs/frontends.md', ROOT), 'utf8').matchAll(
      /^\| (.+? \| \d+ \| \d+ \| \d+) \|/gm,
    );
    expect([...table].map(([, cells]) => cells)).to.deep.equal(measured);
  });
});
