/** Notifications as Server-Sent Events: their format, and the rejected requests. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment, buildMember } from '../../support/build.js';
import { call, expectFieldErrors, expectStatus } from '../../support/client.js';
import { closeLiveClients, STREAM } from '../../support/live.js';
import { eventsIn, readEvents } from '../../support/live-raw.js';
import { until } from '../../support/until.js';

describe('GET /api/notifications/stream', () => {
  const app = useApp({ STREAM_LIMIT: '3', STREAM_HEARTBEAT: '1s' });
  afterEach(closeLiveClients);

  it('returns 200 with each notification under its id, as in the list', async () => {
    const { id, author } = await buildArticle(app.url);
    const stream = await readEvents(app.url, author.token);
    await buildComment(app.url, id);
    await until(() => eventsIn(stream.text).length > 0);
    const { body } = await call(app.url, 'GET /api/notifications', { token: author.token });
    const listed = body?.data.contents[0];
    const data = JSON.stringify(listed);
    expect(eventsIn(stream.text)).to.deep.equal([{ event: 'notification', id: String(listed.id), data }]);
  });

  it('returns 200 with headers that disable buffering in proxies', async () => {
    const { token } = await buildMember(app.url);
    const stream = await readEvents(app.url, token);
    const header = (name: string) => stream.response.headers.get(name);
    expect(stream.response.status).to.equal(200);
    expect(header('Content-Type')).to.equal('text/event-stream');
    expect(header('Cache-Control')).to.equal('no-store, no-transform');
    expect(header('X-Accel-Buffering')).to.equal('no');
    expect(header('X-Content-Type-Options')).to.equal('nosniff');
    await until(() => stream.text.startsWith('retry: 2000\n\n'));
  });

  it('returns 200 with periodic comments as a heartbeat', async () => {
    const { token } = await buildMember(app.url);
    const stream = await readEvents(app.url, token);
    await until(() => stream.text === 'retry: 2000\n\n:\n\n:\n\n');
  });

  it('returns 200 for HEAD, without a stream', async () => {
    const { token } = await buildMember(app.url);
    const response = await fetch(app.url + STREAM, { method: 'HEAD', headers: { Authorization: `Bearer ${token}` } });
    expect(response.status).to.equal(200);
    expect(response.headers.get('Content-Type')).to.equal('text/event-stream');
    expect(await response.text()).to.equal('');
  });

  it('returns 400 for an invalid Last-Event-ID', async () => {
    const { token } = await buildMember(app.url);
    for (const given of ['x', '-1', '1.5', '01', '1, 2', '']) {
      const response = await call(app.url, `GET ${STREAM}`, { token, headers: { 'Last-Event-ID': given } });
      expect(response.status, given).to.equal(400);
      expectFieldErrors(response, `Last-Event-ID: must be a whole number from 0, got "${given}"`);
    }
  });

  it('returns 401 without a token, before any other check', async () => {
    await expectStatus(call(app.url, `GET ${STREAM}`, { headers: { 'Last-Event-ID': 'x' } }), 401, 'UNAUTHENTICATED');
  });

  it('returns 429 over the stream limit of a member, until a stream is closed', async () => {
    const { token } = await buildMember(app.url);
    const [first] = [
      await readEvents(app.url, token),
      await readEvents(app.url, token),
      await readEvents(app.url, token),
    ];
    const { headers } = await expectStatus(call(app.url, `GET ${STREAM}`, { token }), 429, 'RATE_LIMITED');
    expect(headers.get('Retry-After')).to.match(/^\d+$/);
    first.close();
    await until(async () => (await readEvents(app.url, token)).response.status === 200);
  });
});
