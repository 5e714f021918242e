/** What a process counts for Prometheus, and who may see it. */
import { request } from 'node:http';
import { expect } from 'chai';
import { useApp } from './support/app.js';
import { buildMember } from './support/build.js';
import { scrape } from './support/metrics.js';

describe('GET /metrics', () => {
  const app = useApp();

  it('is Prometheus text about this process and this build', async () => {
    const answer = await fetch(`${app.url}/metrics`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
    const metrics = await scrape(app.url);
    expect(metrics.value('daybook_build_info', { node: process.version })).to.equal(1);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(metrics.value(name), name).to.be.above(0);
    }
  });

  it('counts requests by method, pattern of the route and class of the status', async () => {
    const labels = { method: 'GET', route: '/api/articles/{articleId}', status: '4xx' };
    const count = async () => (await scrape(app.url)).value('daybook_http_request_duration_seconds_count', labels);
    const before = await count();
    await fetch(`${app.url}/api/articles/999001`);
    await fetch(`${app.url}/api/articles/999002?page=1`);
    expect(await count()).to.equal(before + 2);
  });

  it('has one name for all addresses that there are not, and for all methods that nobody uses', async () => {
    await fetch(`${app.url}/wp-login.php`);
    await fetch(`${app.url}/api/nothing/4711`);
    await ask(app.url, 'PROPFIND', '/api/articles/4711');
    const { text } = await scrape(app.url);
    for (const word of ['wp-login', '/4711', 'PROPFIND']) expect(text).to.not.contain(word);
  });

  it('holds nothing of members', async () => {
    const { email, nickname, token } = await buildMember(app.url);
    await fetch(`${app.url}/api/members/me`, { headers: { Authorization: `Bearer ${token}` } });
    const { text } = await scrape(app.url);
    for (const word of [email, nickname, token]) expect(text).to.not.contain(word);
  });

  it('405 for another method', async () => {
    const answer = await fetch(`${app.url}/metrics`, { method: 'POST' });
    expect([answer.status, answer.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD']);
  });

  for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via']) {
    it(`404 through a proxy on this machine, which sends ${name}`, async () => {
      const answer = await fetch(`${app.url}/metrics`, { headers: { [name]: '127.0.0.1' } });
      expect(answer.status).to.equal(404);
      expect(await answer.json()).to.include({ code: 'ROUTE_NOT_FOUND' });
    });
  }
});

describe('GET /metrics with METRICS_TOKEN', () => {
  const token = 'a token for the scraper, long enough';
  const app = useApp({ METRICS_TOKEN: token });
  const statusWith = async (headers: Record<string, string>) => (await fetch(`${app.url}/metrics`, { headers })).status;

  it('answers whoever sends it, through a proxy too', async () => {
    expect(await statusWith({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' })).to.equal(200);
  });

  it('401 without it, with another one, and with the token of a member', async () => {
    const member = await buildMember(app.url);
    const answer = await fetch(`${app.url}/metrics`);
    expect([answer.status, answer.headers.get('WWW-Authenticate')]).to.deep.equal([401, 'Bearer']);
    for (const wrong of [`${token}.`, member.token]) {
      expect(await statusWith({ Authorization: `Bearer ${wrong}` })).to.equal(401);
    }
  });
});

/** For methods that fetch does not send. */
function ask(url: string, method: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method }, (answer) => answer.resume().on('end', resolve));
    sent.on('error', reject).end();
  });
}
