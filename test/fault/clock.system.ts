/** Two processes with different clocks: tokens, sessions and limits are the same in both, because they use the clock of the database. */
import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildMember } from '../support/build.js';
import { numberChanges, readPage } from '../support/changes.js';
import { call } from '../support/client.js';
import { describeFault } from '../support/faults.js';
import { type RunningService, startService } from '../support/process.js';

const HOUR_MS = 3_600_000;
const AHEAD = `const now = Date.now; const Real = Date;
globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(now() + ${HOUR_MS}); } };
globalThis.Date.now = () => now() + ${HOUR_MS};`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(AHEAD)}`;

describeFault('clocks-differ', function (measured) {
  this.timeout(60_000);
  const environment = { LIMIT_LOGIN_PAIR: '3/15m' };
  const app = useApp(environment);
  let ahead: RunningService;
  let urls: [right: string, ahead: string];

  before(async () => {
    const shown = execFileSync(process.execPath, ['-p', 'Date.now() + " " + new Date().getTime()'], {
      env: { NODE_OPTIONS },
    });
    for (const ms of String(shown).split(' ')) expect(Number(ms) - Date.now()).to.be.above(HOUR_MS / 2);
    ahead = await startService(app.database.url, { ...environment, NODE_OPTIONS });
    urls = [app.url, ahead.url];
  });
  after(() => ahead.stop());

  it('accept the tokens of each other', async () => {
    for (const [issuer, other] of [urls, urls.toReversed()] as [string, string][]) {
      const { token, refreshToken } = await buildMember(issuer);
      expect((await call(other, 'GET /api/members/me', { token })).status).to.equal(200);
      const refreshed = await call(other, 'POST /api/auth/refresh', { json: { refreshToken } });
      expect(refreshed.status).to.equal(200);
      const { accessToken } = refreshed.body?.data ?? {};
      expect((await call(issuer, 'GET /api/members/me', { token: accessToken })).status).to.equal(200);
    }
  });

  it('continue in the feed of changes with the cursors of each other', async () => {
    const cursors = [];
    for (const url of urls) {
      await buildArticle(url);
      await numberChanges(app.database);
      const { cursor, changes } = await readPage(url, { types: 'article', ...(cursors[0] && { since: cursors[0] }) });
      expect(changes).to.have.lengthOf(1);
      expect(Math.abs(Date.parse(`${changes[0]?.changedAt}Z`) - Date.now())).to.be.below(HOUR_MS / 2);
      cursors.push(cursor);
    }
    for (const url of urls)
      expect((await readPage(url, { types: 'article', since: cursors[1] ?? '' })).changes).to.deep.equal([]);
  });

  it('count failed logins together, and wait no longer than the limit says', async () => {
    const retryAfter: number[] = [];
    for (const [first, second] of [urls, urls.toReversed()] as [string, string][]) {
      const { email, password } = await buildMember(first);
      const wrong = { json: { email, password: 'wrong password' } };
      const statuses = [];
      for (const url of [first, second, first]) statuses.push((await call(url, 'POST /api/auth/login', wrong)).status);
      expect(statuses).to.deep.equal([401, 401, 401]);
      for (const url of urls) {
        const { status, headers } = await call(url, 'POST /api/auth/login', { json: { email, password } });
        expect(status).to.equal(429);
        retryAfter.push(Number(headers.get('Retry-After')));
        expect(retryAfter.at(-1)).to.be.within(850, 900);
      }
    }
    measured(`Retry-After of a limit of 900 s in both: ${Math.min(...retryAfter)} to ${Math.max(...retryAfter)} s`);
  });
});
