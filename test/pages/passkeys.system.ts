/** The passkey page in a real browser with a virtual authenticator. Skipped if the machine has no Chromium; CI requires it. */
import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { COLOR_RULES, type ColorScheme, describeInBrowser, findViolations, useBrowser } from '../support/browser.js';
import { type BuiltMember, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { fencesOf, readDocument } from '../support/documents.js';

describeInBrowser('The passkey page', () => {
  // An address is not a valid RP ID. The port is known when the application has started.
  const app = useApp({
    WEBAUTHN_RP_ID: 'localhost',
    get WEBAUTHN_ORIGINS() {
      return app?.url?.replace('127.0.0.1', 'localhost') ?? 'http://localhost';
    },
  });
  const opened = useBrowser();
  let session: CDPSession | undefined;

  /** Loads the page, in a browser with a new authenticator. */
  async function open(colorScheme: ColorScheme = 'light') {
    const { tab } = opened;
    const { page, errors } = tab;
    session ??= await page.context().newCDPSession(page);
    await session.send('WebAuthn.disable');
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        defaultBackupEligibility: true,
        automaticPresenceSimulation: true,
      },
    });
    await tab.load(`${app.url.replace('127.0.0.1', 'localhost')}/account/passkeys`, colorScheme);
    await page.locator('#log-in').waitFor();
    return { page, errors, session, authenticatorId };
  }

  async function logInWithPassword(page: Page, { email, password }: BuiltMember): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.locator('#account').waitFor();
  }

  async function add(page: Page, name: string, password: string): Promise<void> {
    const form = page.locator('#add');
    await form.getByLabel('Name').fill(name);
    await form.getByLabel(/^Current password/).fill(password);
    await form.getByRole('button').click();
  }

  const status = (page: Page, text: string | RegExp) => page.locator('#status', { hasText: text }).waitFor();

  it('registers a passkey, logs in with it, renames and removes it, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const member = await buildMember(app.url);
      const { page, errors, session, authenticatorId } = await open(colorScheme);
      await logInWithPassword(page, member);
      await add(page, 'Phone', member.password);
      await status(page, 'The passkey was added.');
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      expect(credentials.map(({ isResidentCredential, rpId }) => [isResidentCredential, rpId])).to.deep.equal([
        [true, 'localhost'],
      ]);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await status(page, 'You are logged in.');
      expect(await page.locator('#nickname').innerText()).to.equal(member.nickname);
      expect(await page.locator('#passkeys li').innerText()).to.match(/^Phone\n.*Added .* · last used /);
      await page.getByRole('button', { name: 'Rename: Phone' }).click();
      await page.locator('#rename').getByLabel('Name').fill('My phone');
      await page.locator('#rename').getByRole('button', { name: 'Rename' }).click();
      await status(page, 'The passkey was renamed.');
      const rules = colorScheme === 'dark' ? COLOR_RULES : undefined;
      expect(await findViolations(page, undefined, rules), colorScheme).to.deep.equal([]);
      await page.getByRole('button', { name: 'Remove: My phone' }).click();
      await page.locator('#remove').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Remove: My phone' }).click();
      await page
        .locator('#remove')
        .getByLabel(/^Current password/)
        .fill(member.password);
      await page.locator('#remove').getByRole('button', { name: 'Remove' }).click();
      await status(page, 'The passkey was removed.');
      await page.locator('#empty').waitFor();
      const left = await call(app.url, 'GET /api/members/me/passkeys', { token: member.token });
      expect(left.body?.data.contents).to.deep.equal([]);
      const offered = await session.send('WebAuthn.getCredentials', { authenticatorId });
      expect(offered.credentials, 'the browser no longer offers it').to.deep.equal([]);
      await page.getByRole('button', { name: 'Log out' }).click();
      expect(errors).to.deep.equal([]);
    }
  });

  it('reports a second passkey on one device, a wrong password, a cancelled request and a removed passkey', async () => {
    const member = await buildMember(app.url);
    const { page, session, authenticatorId } = await open();
    await logInWithPassword(page, member);
    await add(page, 'Phone', 'wrong password');
    await status(page, 'password: is not your current password');
    const credentials = async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
    expect(await credentials(), 'the passkey of the rejected registration is deleted').to.deep.equal([]);
    await add(page, 'Phone', member.password);
    await status(page, 'The passkey was added.');
    await add(page, 'Phone', member.password);
    await status(page, 'already has a passkey for your account');
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await status(page, 'The request was cancelled, or took too long.');
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await app.database.sequelize.query('delete from passkeys');
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await status(page, 'This passkey was not accepted');
  });

  it('works in browsers without the JSON functions of WebAuthn Level 3', async () => {
    const member = await buildMember(app.url);
    const { page } = await open();
    await page.evaluate(`{
      delete PublicKeyCredential.parseCreationOptionsFromJSON;
      delete PublicKeyCredential.parseRequestOptionsFromJSON;
      delete PublicKeyCredential.prototype.toJSON;
    }`);
    await logInWithPassword(page, member);
    await add(page, 'Phone', member.password);
    await status(page, 'The passkey was added.');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
    await status(page, 'You are logged in.');
  });

  it('executes the program of docs/passkeys.md', async () => {
    const [program] = fencesOf(await readDocument('docs/passkeys.md')).filter(({ info }) => info === 'js');
    const { token, password } = await buildMember(app.url);
    const { page, session, authenticatorId } = await open();
    const run = (call: string) =>
      page.evaluate<Record<string, unknown>>(`(async () => { ${program?.text}; return ${call}; })()`);
    const add = (given: string) => run(`addPasskey('${token}', 'Phone', '${given}')`);
    expect(await add('wrong password').catch(String)).to.include('password: is not your current password');
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).to.deep.equal([]);
    expect(await add(password)).to.include({ name: 'Phone' });
    expect(await run('logInWithPasskey()')).to.have.all.keys('accessToken', 'refreshToken');
  });

  it('has Korean texts for browsers that prefer Korean', async () => {
    const page = await opened.browser.newPage({ locale: 'ko-KR' });
    await page.goto(`${app.url}/account/passkeys`);
    await page.getByRole('button', { name: '패스키로 로그인' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('document.documentElement.lang')).to.equal('ko');
    const untranslated = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-text]')].map((one) => one.textContent).filter((text) => !/[가-힣]/.test(text))`,
    );
    expect(untranslated).to.deep.equal([]);
    await page.close();
  });
});
