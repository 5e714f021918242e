/** The page of links in emails, in a real browser. Skipped if the machine has no Chromium; CI requires it. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import {
  COLOR_RULES,
  type ColorScheme,
  describeInBrowser,
  findViolations,
  Tab,
  useBrowser,
} from '../support/browser.js';
import { type BuiltMember, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { type LinkPage, tokenFor, tokensFor } from '../support/links.js';
import { readableLog } from '../support/log.js';
import { sendMails } from '../support/mails.js';
import { startSmtp } from '../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

describeInBrowser('The page of links in emails', () => {
  const { log, lines } = readableLog('trace');
  const app = useApp(smtp.environment, { log });
  const opened = useBrowser();
  let member: BuiltMember;
  const used: string[] = [];
  beforeEach(async () => {
    member = await buildMember(app.url);
    await sendMails(app);
    smtp.setBehaviors('accept');
  });

  async function open(path: string, { colorScheme, tab = opened.tab }: Opening = {}): Promise<Tab> {
    await tab.load(app.url + path, colorScheme);
    await tab.page.locator('#title').waitFor();
    return tab;
  }

  async function openLink(purpose: LinkPage, address = member.email, opening?: Opening) {
    const token = await tokenFor(app, smtp, purpose, address);
    used.push(token);
    const { page, errors } = await open(`/account/${purpose}#token=${token}`, opening);
    expect(page.url(), 'the token is not in the address').to.equal(`${app.url}/account/${purpose}`);
    return { page, errors, token };
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  const status = (page: Page, text: string) => page.locator('#status', { hasText: text }).waitFor();
  const login = async (email: string, password: string) =>
    (await call(app.url, 'POST /api/auth/login', { json: { email, password } })).body?.code;
  /** The console reports responses with an error status, which are expected here. */
  const unexpected = (errors: string[]) => errors.filter((text) => !/status of 4\d\d/.test(text));

  async function setPassword(page: Page, password: string): Promise<void> {
    await page.getByLabel('New password').fill(password);
    await press(page, 'Set the password');
  }

  async function changeEmail(email: string): Promise<void> {
    const json = { email, password: member.password };
    expect((await call(app.url, 'PUT /api/members/me/email', { token: member.token, json })).status).to.equal(202);
  }

  it('requests a link and sets a password with it once, in light and dark', async () => {
    const otherTab = new Tab(await opened.browser.newPage());
    for (const colorScheme of ['light', 'dark'] as const) {
      smtp.setBehaviors('accept');
      const { page, errors } = await open('/account/reset', { colorScheme });
      await page.getByLabel('Email').fill(member.email);
      await press(page, 'Send a link');
      await status(page, 'If an account has this email address, it receives an email with a link.');
      expect(unexpected(errors)).to.deep.equal([]);
      const { token } = await openLink('reset', member.email, { colorScheme });
      const { page: second } = await open(`/account/reset#token=${token}`, { colorScheme, tab: otherTab });
      await page.getByLabel('New password').fill('password1');
      await press(page, 'Set the password');
      await status(page, 'New password: must not be one of the most common passwords');
      await page.getByLabel('Show the password').check();
      const password = `eleven buoys, ${colorScheme}`;
      await setPassword(page, password);
      await status(page, 'Password changed. Log in with the new password.');
      expect(await login(member.email, password)).to.equal('1');
      await setPassword(second, 'the same link in another tab');
      await status(second, 'This link or invitation is not valid');
      await second.getByLabel('Email').waitFor();
      expect(await login(member.email, password)).to.equal('1');
      expect(unexpected([...errors, ...otherTab.errors])).to.deep.equal([]);
    }
    await otherTab.page.close();
  });

  it('changes nothing until the button is pressed, and takes a link that is opened in the same tab', async () => {
    const email = `opened.${member.email}`;
    await changeEmail(email);
    const { page, errors, token } = await openLink('confirm', email);
    await page.reload();
    await page.getByLabel('Email').waitFor();
    expect(await login(email, member.password)).to.equal('INVALID_CREDENTIALS');
    await page.evaluate(`location.hash = 'token=${token}'`);
    await press(page, 'Confirm the address');
    await status(page, 'Email address confirmed.');
    expect(await login(email, member.password)).to.equal('1');
    expect(unexpected(errors)).to.deep.equal([]);
    await openLink('undo');
    await press(page, 'Undo the change');
    await status(page, 'The change of the email address was undone.');
    expect(await login(member.email, member.password)).to.equal('1');
    await page.getByRole('link', { name: /^Choose a new password/ }).click();
    await page.getByLabel('Email').waitFor();
    expect(unexpected(errors)).to.deep.equal([]);
  });

  it('asks for a new password if the address was registered again', async () => {
    const { email, password } = member;
    const json = { email, password, memberName: 'Again' };
    expect((await call(app.url, 'POST /api/auth/register', { json })).status).to.equal(409);
    await call(app.url, 'POST /api/auth/email/resend', { json: { email } });
    const { page, errors } = await openLink('confirm');
    expect(await page.getByLabel('New password').isVisible()).to.equal(false);
    await press(page, 'Confirm the address');
    await status(page, 'This address was registered more than once, perhaps by another person.');
    await setPassword(page, 'a quiet harbor at noon');
    await status(page, 'Email address confirmed.');
    expect(await page.getByLabel('New password').isVisible()).to.equal(false);
    expect(unexpected(errors)).to.deep.equal([]);
    expect([await login(email, password), await login(email, 'a quiet harbor at noon')]).to.deep.equal([
      'INVALID_CREDENTIALS',
      '1',
    ]);
  });

  it('requests another confirmation after a link that is not valid', async () => {
    const { page } = await open('/account/confirm#token=unknown');
    await press(page, 'Confirm the address');
    await status(page, 'This link or invitation is not valid');
    await page.getByLabel('Email').fill(member.email);
    await press(page, 'Send a link');
    await status(page, 'If this address is to be confirmed, it receives an email with a link.');
    expect(await tokensFor(app, smtp, 'confirm', member.email)).to.have.length(1);
  });

  it('is in Korean for a browser in Korean', async () => {
    const page = await opened.browser.newPage({ locale: 'ko-KR' });
    for (const [purpose, title] of [
      ['reset', '새 비밀번호'],
      ['confirm', '이메일 주소 확인'],
      ['undo', '이메일 주소 변경 취소'],
    ]) {
      await page.goto(`${app.url}/account/${purpose}#token=x`);
      await page.locator('#title', { hasText: title ?? '' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).to.equal('ko');
      expect(await page.locator('main').innerText()).not.to.match(/[a-z]{3}/i);
    }
    await page.close();
  });

  it('has no violations that axe detects, and fits a width of 360 pixels', async () => {
    const { tab } = opened;
    const { page } = tab;
    for (const path of ['reset', 'reset#token=x', 'confirm', 'confirm#token=x', 'undo', 'undo#token=x']) {
      await tab.load(`${app.url}/account/${path}`, 'light', 360);
      await page.locator('#lead:not(:empty)').waitFor();
      expect(await findViolations(page), path).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.equal(360);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findViolations(page, undefined, COLOR_RULES), `${path}, dark`).to.deep.equal([]);
    }
  });

  it('leaves no token in the log', () => {
    expect(used.length).to.be.above(2);
    expect(lines.join('')).to.include('/api/auth/password/reset');
    for (const token of used) expect(lines.join('')).to.not.include(token);
  });
});

interface Opening {
  colorScheme?: ColorScheme;
  tab?: Tab;
}
