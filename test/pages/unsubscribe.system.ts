/** Unsubscribing from notification emails: the request of a mail client (RFC 8058), and the page, also in a real browser. */
import { expect } from 'chai';
import { createOneTimeToken } from '../../src/services/auth/one-time-token.js';
import { createUnsubscribeToken } from '../../src/services/auth/unsubscribe-token.js';
import { JWT_SECRET, useApp } from '../support/app.js';
import { COLOR_RULES, describeInBrowser, findViolations, useBrowser } from '../support/browser.js';
import { type BuiltMember } from '../support/build.js';
import { call } from '../support/client.js';
import { readableLog } from '../support/log.js';
import { buildRecipient } from '../support/mails.js';
import { startSmtp } from '../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

const PREVIOUS_SECRET = 'the previous secret of the tests, long enough';
const { log, lines } = readableLog('debug');
const app = useApp({ ...smtp.environment, JWT_SECRET_PREVIOUS: PREVIOUS_SECRET }, { log });

let member: BuiltMember;
let token: string;
beforeEach(async () => {
  member = await buildRecipient(app);
  token = createUnsubscribeToken(JWT_SECRET, member.id);
  for (const [type, email] of [
    ['COMMENT', 'AT_ONCE'],
    ['SUMMARY', 'DAILY'],
  ])
    await call(app.url, `PUT /api/members/me/notification-settings/${type}`, { token: member.token, json: { email } });
});

/** Of the types with emails. */
async function settings(): Promise<string[]> {
  const path = 'GET /api/members/me/notification-settings';
  const { body } = await call(app.url, path, { token: member.token });
  const contents: { type: string; email: string }[] = body?.data.contents;
  return contents.filter(({ email }) => email !== 'OFF').map(({ type, email }) => `${type} ${email}`);
}

const ON = ['COMMENT AT_ONCE', 'SUMMARY DAILY'];
const OFF: string[] = [];

const address = (value = token) => `${app.url}/account/unsubscribe?token=${encodeURIComponent(value)}`;

const FORM = 'application/x-www-form-urlencoded';

function post(url: string, { type = FORM, body = 'List-Unsubscribe=One-Click', accept = '*/*' } = {}) {
  return fetch(url, { method: 'POST', body, headers: { 'Content-Type': type, Accept: accept } });
}

const envelopeOf = async (response: Response) => (await response.json()) as { code: string; message: string };

describe('POST /account/unsubscribe', () => {
  it('switches off the emails of all types without a login, also when it is repeated', async () => {
    expect(await settings()).to.deep.equal(ON);
    for (let time = 0; time < 2; time++) {
      expect((await post(address())).status).to.equal(200);
      expect(await settings()).to.deep.equal(OFF);
    }
  });

  it('accepts the other media type of RFC 8058, and no body', async () => {
    const type = 'multipart/form-data; boundary=x';
    const body = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
    expect((await post(address(), { type, body })).status).to.equal(200);
    expect((await fetch(address(), { method: 'POST' })).status).to.equal(200);
    expect(await settings()).to.deep.equal(OFF);
  });

  it('accepts a token of the previous secret', async () => {
    expect((await post(address(createUnsubscribeToken(PREVIOUS_SECRET, member.id)))).status).to.equal(200);
    expect(await settings()).to.deep.equal(OFF);
  });

  it('responds 200 for a member who has withdrawn', async () => {
    await call(app.url, 'DELETE /api/members/me', { token: member.token, json: { password: member.password } });
    expect((await post(address())).status).to.equal(200);
  });

  it('responds 400 to a token that is not of this purpose and member, and changes nothing', async () => {
    const { token: oneTime } = createOneTimeToken(JWT_SECRET, 'reset');
    const mac = token.split('.')[1];
    const others = ['', 'x', mac, oneTime, member.token, `${member.id + 1}.${mac}`, `${token}x`, `${member.id}.`];
    const foreign = createUnsubscribeToken('another secret of the tests, long enough', member.id);
    for (const bad of [...others, foreign, `0${token}`, 'x'.repeat(3_000), '\u0000']) {
      const response = await post(address(bad));
      const { code, message } = await envelopeOf(response);
      expect([response.status, code], bad).to.deep.equal([400, 'TOKEN_INVALID']);
      expect(message).to.match(/^This link is not valid/);
    }
    expect((await post(`${app.url}/account/unsubscribe`)).status).to.equal(400);
    expect((await post(`${address()}&token=${token}`)).status, 'repeated').to.equal(400);
    expect(await settings()).to.deep.equal(ON);
  });

  it('responds 413 to a large body, 415 to other types and encodings, and 405 to other methods', async () => {
    const large = await post(address(), { body: 'x'.repeat(5_000) });
    expect([large.status, (await envelopeOf(large)).code]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE']);
    const json = await post(address(), { type: 'application/json', body: '{}' });
    expect([json.status, (await envelopeOf(json)).code]).to.deep.equal([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const headers = { 'Content-Type': FORM, 'Content-Encoding': 'gzip' };
    expect((await fetch(address(), { method: 'POST', body: 'x', headers })).status).to.equal(415);
    const put = await fetch(address(), { method: 'PUT' });
    expect([put.status, put.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD, POST']);
    expect(await settings()).to.deep.equal(ON);
  });

  it('is not usable as an access token', async () => {
    expect((await call(app.url, 'GET /api/members/me', { token })).status).to.equal(401);
  });

  it('leaves no token in the log', async () => {
    await post(address());
    await fetch(address());
    await post(address(`${token}x`));
    expect(lines.join()).to.include('/account/unsubscribe').and.not.include(token.split('.')[1]);
  });
});

describe('GET /account/unsubscribe', () => {
  it('changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) expect((await fetch(address(), { method })).status).to.equal(200);
    expect(await settings()).to.deep.equal(ON);
  });

  it('is in the language of the request, is not stored, and sends no Referer', async () => {
    const response = await fetch(address(), { headers: { 'Accept-Language': 'ko' } });
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'ko',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; style-src 'self'; img-src 'self'",
    });
    const page = await response.text();
    expect(page).to.include('<html lang="ko">').and.include('알림 이메일 끄기').and.not.include(token);
    expect(page.replace(/<[^>]*>/g, '')).not.to.match(/[A-Za-z]/);
  });

  it('has no button if the token is not valid', async () => {
    const response = await fetch(address('x'));
    const page = await response.text();
    expect([response.status, page.includes('<button')]).to.deep.equal([400, false]);
    const posted = await post(address('x'), { accept: 'text/html,*/*;q=0.8' });
    expect([posted.status, await posted.text()]).to.deep.equal([400, page]);
  });
});

describeInBrowser('The unsubscribe page', () => {
  const opened = useBrowser();

  it('unsubscribes with its button, in light and dark mode', async () => {
    const { tab } = opened;
    const { page, errors } = tab;
    const papers = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await call(app.url, 'PUT /api/members/me/notification-settings/COMMENT', {
        token: member.token,
        json: { email: 'DAILY' },
      });
      const rules = colorScheme === 'dark' ? COLOR_RULES : undefined;
      await tab.load(address(), colorScheme);
      papers.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      expect(await findViolations(page, undefined, rules)).to.deep.equal([]);
      expect(await settings()).to.include('COMMENT DAILY');
      await page.getByRole('button', { name: 'Turn off notification emails' }).click();
      await page.getByText('Notification emails are turned off.').waitFor();
      expect(await findViolations(page, undefined, rules)).to.deep.equal([]);
      expect(await settings()).to.deep.equal(OFF);
      expect(errors).to.deep.equal([]);
    }
    expect(papers).to.have.lengthOf(2);
  });
});
