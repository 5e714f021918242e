/** The service behind nginx, with the configuration that comes with it. */
import { expect } from 'chai';
import { buildArticle, buildComment, buildMember } from './support/build.js';
import { call, graphql } from './support/client.js';
import { STREAM } from './support/live.js';
import { filePart, multipart } from './support/multipart.js';
import { hasNginx, type Nginx, startNginx } from './support/nginx.js';
import { freshDatabase, type RunningService, startService } from './support/service.js';

const isThere = hasNginx();
const title = isThere ? 'Behind nginx' : 'Behind nginx (left out: there is no nginx here)';

describe(title, function () {
  this.timeout(60_000);
  let services: RunningService[] = [];
  let nginx: Nginx;

  before(async function () {
    if (!isThere && process.env.CI === undefined) this.skip();
    const database = await freshDatabase('behind_nginx');
    const environment = { TRUST_PROXY: '1', LIMIT_LOGIN_ADDRESS: '3/15m' };
    services = await Promise.all([startService(database, environment), startService(database, environment)]);
    const [one = '', two = ''] = services.map(({ url }) => new URL(url).port);
    nginx = await startNginx([one, two]);
  });
  after(async () => {
    await nginx?.stop();
    await Promise.all(services.map(({ stop }) => stop()));
  });

  it('two processes are one service', async () => {
    const member = await buildMember(nginx.url);
    for (let round = 0; round < 4; round++) {
      expect((await call(nginx.url, 'GET /api/members/me', { token: member.token })).status).to.equal(200);
    }
    expect((await graphql(nginx.url, '{ me { email } }', {}, member.token)).data.me.email).to.equal(member.email);
  });

  it('what may be an image of ten megabytes passes, and what is far too large is refused', async () => {
    const { token } = await buildMember(nginx.url);
    const noImage = multipart([filePart(Buffer.alloc(9_500_000))]);
    const passed = await call(nginx.url, 'PATCH /api/members/me', { token, ...noImage });
    expect(passed.body?.code, 'the service has looked at it').to.equal('IMAGE_INVALID');
    const body = new Uint8Array(13_000_000);
    expect((await fetch(`${nginx.url}/api/members/me`, { method: 'PATCH', body })).status).to.equal(413);
  });

  it('events come at once', async () => {
    const { article, comment } = await openStream();
    await buildComment(nginx.url, article.id, { content: 'Hello.' });
    expect(await comment).to.contain('event: notification');
  });

  it('/metrics is not there, whatever is sent', async () => {
    const forged = { 'X-Forwarded-For': '127.0.0.1' };
    for (const headers of [undefined, forged]) {
      expect((await fetch(`${nginx.url}/metrics`, headers && { headers })).status).to.equal(404);
    }
  });

  it('a forged X-Forwarded-For does not get past the limits', async () => {
    const statuses = [];
    for (let round = 1; round <= 5; round++) {
      const json = { email: `nobody${round}@example.org`, password: 'not the password' };
      const headers = { 'X-Forwarded-For': `192.0.2.${round}` };
      statuses.push((await call(nginx.url, 'POST /api/auth/login', { json, headers })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
  });

  it('one process can end while requests come', async () => {
    const stopped = services.shift()?.stop();
    const statuses = new Set<number>();
    let isOver = false;
    void stopped?.then(() => {
      isOver = true;
    });
    while (!isOver) statuses.add((await fetch(`${nginx.url}/api/articles`)).status);
    statuses.add((await fetch(`${nginx.url}/api/articles`)).status);
    expect([...statuses]).to.deep.equal([200]);
  });

  /** @returns the member's article, and the first event that comes */
  async function openStream() {
    const article = await buildArticle(nginx.url);
    const headers = { Authorization: `Bearer ${article.author.token}` };
    const { body } = await fetch(nginx.url + STREAM, { headers });
    const comment = (async () => {
      let text = '';
      for await (const chunk of body ?? []) {
        text += Buffer.from(chunk).toString('utf8');
        if (text.includes('data:')) return text;
      }
      return text;
    })();
    return { article, comment };
  }
});
