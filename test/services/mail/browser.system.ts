/** Every email in a real browser, in light and dark mode. Skipped if the machine has no Chromium; CI requires it. */
import { expect } from 'chai';
import { loadConfig } from '../../../src/platform/config/index.js';
import { LANGUAGES } from '../../../src/platform/messages/message.js';
import { renderMail } from '../../../src/services/mail/render.js';
import { TEMPLATES } from '../../../src/services/mail/templates.js';
import { COLOR_RULES, describeInBrowser, findViolations, useBrowser } from '../../support/browser.js';
import { MAIL_TEMPLATES, mailSamples, UNREAD } from '../../support/mail-samples.js';

const LINK = `https://example.org/account/reset#token=${'x'.repeat(43)}`;
const samples = { ...mailSamples((purpose) => ({ purpose, id: '', hash: '' })), ...UNREAD };

describeInBrowser('Emails in a browser', () => {
  const opened = useBrowser();

  it('have no violations that axe detects, no request, and fit a width of 360 pixels, in light and dark mode', async () => {
    const { page } = opened.tab;
    await page.setViewportSize({ width: 360, height: 740 });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const papers = { light: new Set<string>(), dark: new Set<string>() };
    for (const template of MAIL_TEMPLATES)
      for (const language of LANGUAGES) {
        const content = TEMPLATES[template].content(samples[template] as never, LINK);
        await page.setContent(renderMail(loadConfig({}), content, language, LINK).html);
        for (const colorScheme of ['light', 'dark'] as const) {
          const label = `${template} ${language} ${colorScheme}`;
          await page.emulateMedia({ colorScheme });
          papers[colorScheme].add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
          expect(await page.evaluate('document.documentElement.scrollWidth'), label).to.equal(360);
          const rules = colorScheme === 'dark' ? COLOR_RULES : undefined;
          expect(await findViolations(page, undefined, rules), label).to.deep.equal([]);
        }
      }
    expect(requests).to.deep.equal([]);
    expect([...papers.light]).to.deep.equal(['rgb(255, 255, 255)']);
    expect([...papers.dark]).to.deep.equal(['rgb(22, 24, 28)']);
  });
});
