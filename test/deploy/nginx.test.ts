/** The provided configuration of nginx, in front of the application. */
import { request } from 'node:http';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { STREAM } from '../support/live.js';
import { filePart, multipart } from '../support/multipart.js';
import { type Nginx, startNginx } from '../support/nginx.js';
import { describeWith } from '../support/programs.js';
import { freePort } from '../support/server.js';
import { until } from '../support/until.js';

describeWith(['nginx-light'], 'Behind nginx', () => {
  const app = useApp({ TRUST_PROXY: '1', LIMIT_LOGIN_ADDRESS: '3/15m' });
  let nginx: Nginx;
  before(async () => {
    const { port } = new URL(app.url);
    nginx = await startNginx([port]);
  });
  after(() => nginx.stop());

  it('sends requests to one process only', async () => {
    for (let round = 0; round < 4; round++) expect((await fetch(`${nginx.url}/healthz`)).status).to.equal(200);
    expect(await nginx.logs()).to.not.include('while connecting to upstream');
  });

  it('does not compress a response with tokens', async () => {
    const { email, password } = await buildMember(nginx.url);
    const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' };
    const body = JSON.stringify({ email, password });
    const response = await fetch(`${nginx.url}/api/auth/login`, { method: 'POST', headers, body });
    expect([response.status, response.headers.get('Content-Encoding')]).to.deep.equal([200, null]);
    expect(await response.text()).to.include('accessToken');
  });

  it('passes bodies of 9.5 MB and rejects 13 MB with 413', async () => {
    const { token } = await buildMember(nginx.url);
    const noImage = multipart([filePart(Buffer.alloc(9_500_000))]);
    const passed = await call(nginx.url, 'PATCH /api/members/me', { token, ...noImage });
    expect(passed.body?.code, 'the service has processed the file').to.equal('IMAGE_INVALID');
    const body = new Uint8Array(13_000_000);
    expect((await fetch(`${nginx.url}/api/members/me`, { method: 'PATCH', body })).status).to.equal(413);
  });

  it('delivers events without buffering', async () => {
    const { article, comment } = await openStream();
    await buildComment(nginx.url, article.id, { content: 'Hello.' });
    expect(await comment).to.contain('event: notification');
  });

  it('returns 404 for /metrics, also with a forged X-Forwarded-For', async () => {
    const forged = { 'X-Forwarded-For': '127.0.0.1' };
    for (const headers of [undefined, forged]) {
      expect((await fetch(`${nginx.url}/metrics`, headers && { headers })).status).to.equal(404);
    }
  });

  it('applies the limits despite a forged X-Forwarded-For', async () => {
    const statuses = [];
    for (let round = 1; round <= 5; round++) {
      const json = { email: `nobody${round}@example.org`, password: 'not the password' };
      const headers = { 'X-Forwarded-For': `192.0.2.${round}` };
      statuses.push((await call(nginx.url, 'POST /api/auth/login', { json, headers })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
  });

  it('logs requests and errors, but no tokens of links', async () => {
    const port = String(await freePort());
    const away = await startNginx([port, port]);
    const token = 'q6mCGJ5kV1pTtXcL0wF4hZbRy8sNn2eUo7iDaKxMv3E';
    const paths = [`/api/shared/${token}`, `/api/%73hared/${token}`, `//api/./shared/${token}?x=1`];
    const others = [`/account/unsubscribe?token=${token}`, '/api/articles/17'];
    try {
      for (const { url, redirectSocket: socketPath } of [nginx, away]) {
        // A path as it is, which fetch would normalize.
        const send = (path: string, to: object) =>
          new Promise((resolve, reject) => {
            const sent = request({ path, ...to }, (response) => response.resume().once('end', resolve));
            sent.once('error', reject).end();
          });
        for (const path of [...paths, ...others]) {
          const { hostname, port } = new URL(url);
          await send(path, { hostname, port });
        }
        for (const path of [...paths, '/api/articles/18']) await send(path, { socketPath });
      }
      for (const server of [nginx, away]) {
        await until(async () => (await server.logs()).includes('articles/18'));
        expect(await server.logs())
          .to.include('articles/17')
          .and.not.include(token);
      }
      expect(await away.logs()).to.match(/Connection refused.*articles\/17/);
    } finally {
      await away.stop();
    }
  });

  /** @returns the member's article, and the text up to the first event */
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
