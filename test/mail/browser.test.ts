/** Every email in a real browser, in light and dark mode. Skipped if the machine has no Chromium; CI requires it. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { loadConfig } from '../../src/config/index.js';
import { renderMail } from '../../src/mail/render.js';
import { TEMPLATES } from '../../src/mail/templates.js';
import { LANGUAGES } from '../../src/messages/message.js';
import { browserPath, openBrowser } from '../support/browser.js';
import { MAIL_TEMPLATES, mailSamples, UNREAD } from '../support/mail-samples.js';

if (!browserPath && process.env.CI) throw new Error('CI needs Chromium');
const suffix = browserPath ? '' : ' (skipped: no Chromium was found; set CHROMIUM_PATH to its path)';

const LINK = `https://example.org/account/reset#token=${'x'.repeat(43)}`;
const samples = { ...mailSamples((purpose) => ({ purpose, id: '', hash: '' })), ...UNREAD };

(browserPath ? describe : describe.skip)(`Emails in a browser${suffix}`, function () {
  this.timeout(180_000);
  let browser: Browser;
  let axe: string;
  before(async () => {
    browser = await openBrowser();
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  });
  after(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const)
    it(`have no violations that axe detects, no request, and fit a width of 360 pixels, in ${colorScheme} mode`, async () => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 360, height: 740 } });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      const papers = new Set<string>();
      for (const template of MAIL_TEMPLATES)
        for (const language of LANGUAGES) {
          const content = TEMPLATES[template].content(samples[template] as never, LINK);
          await page.setContent(renderMail(loadConfig({}), content, language, LINK).html);
          papers.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
          expect(await page.evaluate('document.documentElement.scrollWidth'), template).to.equal(360);
          await page.evaluate(axe);
          const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
            'axe.run()',
          );
          const found = violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
          expect(found, `${template} ${language}`).to.deep.equal([]);
        }
      expect(requests).to.deep.equal([]);
      expect([...papers]).to.deep.equal([colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 24, 28)']);
      await page.close();
    });
});
