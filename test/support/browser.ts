/** A real browser, if the machine has one. */
import { existsSync } from 'node:fs';
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

/** Disables network requests of the browser itself, and the sandbox, which does not work for root. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-component-update',
  '--disable-background-networking',
  '--no-first-run',
];

export const browserPath = PLACES.find((path) => path !== '' && existsSync(path));

/** A page and its errors. */
export interface WatchedPage {
  page: Page;
  /** Errors of its console and scripts, and requests that failed or went to another host. */
  errors: string[];
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath ?? '', args: ARGUMENTS });
}

/** @param url the prefix of all requests of the page; others are reported in `errors` */
export async function openPage(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<WatchedPage> {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A navigation aborts the requests of the previous page, such as that of its icon.
    if (reason !== 'net::ERR_ABORTED') errors.push(`${request.url()}: ${reason}`);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(url) || /^(data|blob):/.test(request.url());
    if (!isOwn) errors.push(`request to another host: ${request.url()}`);
  });
  return { page, errors };
}
