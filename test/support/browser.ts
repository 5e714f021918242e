/** A real browser, if the machine has one; CI requires it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Disables network requests of the browser itself, a process in reserve for the next page, and the sandbox, which does not work for root. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-component-update',
  '--disable-background-networking',
  '--no-first-run',
  '--renderer-process-limit=1',
];

const browserPath = PLACES.find((path) => path !== '' && existsSync(path));

/** A `describe` of tests in a browser, which are skipped if the machine has none. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (!browserPath && process.env.CI) throw new Error('CI needs Chromium');
  if (!browserPath) {
    describe.skip(`${title} (skipped: no Chromium was found; set CHROMIUM_PATH to its path)`, tests);
    return;
  }
  describe(title, function () {
    this.timeout(180_000);
    tests();
  });
}

export type ColorScheme = 'light' | 'dark';

/** A page and its errors. */
export class Tab {
  /** Errors of its console and scripts, and requests that failed or went to another host, since `load`. */
  readonly errors: string[] = [];
  #origin = '';

  constructor(readonly page: Page) {
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.errors.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // A navigation aborts the requests of the previous page, such as that of its icon.
      if (reason !== 'net::ERR_ABORTED') this.errors.push(`${request.url()}: ${reason}`);
    });
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(this.#origin) || /^(data|blob):/.test(request.url());
      if (!isOwn) this.errors.push(`request to another host: ${request.url()}`);
    });
  }

  /** Loads a page as on the first visit. Requests to other origins are errors. */
  async load(url: string, colorScheme: ColorScheme = 'light', width = 1280): Promise<void> {
    const { origin } = new URL(url);
    // In a document without scripts: the previous one may write to its storage until it is left.
    await this.page.goto(`${origin}/robots.txt`);
    await this.page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await this.page.emulateMedia({ colorScheme });
    await this.page.setViewportSize({ width, height: 800 });
    this.#origin = origin;
    this.errors.length = 0;
    await this.page.goto(url);
  }
}

/** What the tests of a `describe` share. */
export interface OpenBrowser {
  browser: Browser;
  tab: Tab;
}

/**
 * Opens a browser with one page before the tests of the calling `describe`, and closes it after them. A new page has new processes and
 * compiles all scripts again, which takes several times the processor time of another load in the same page.
 */
export function useBrowser(): OpenBrowser {
  const opened = {} as OpenBrowser;
  before(async () => {
    opened.browser = await chromium.launch({ executablePath: browserPath ?? '', args: ARGUMENTS });
    opened.tab = new Tab(await opened.browser.newPage());
  });
  after(() => opened.browser.close());
  return opened;
}

/** The rules of axe whose result depends on colors. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe detects on a page outside of the elements to exclude, with all rules or those of the list. */
export async function findViolations(page: Page, exclude = 'none', rules?: readonly string[]): Promise<unknown[]> {
  if (!(await page.evaluate("'axe' in self"))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  }
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return page.evaluate<unknown[]>(
    `axe.run({ exclude: [${JSON.stringify(exclude)}] }, ${JSON.stringify(options)})
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
  );
}
