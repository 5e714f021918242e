/** Prometheus metrics of a process, and access to them. */
import { request } from 'node:http';
import { expect } from 'chai';
import { watchQueue } from '../../../src/jobs/metrics.js';
import type { Database } from '../../../src/platform/database/pool.js';
import { QUEUE_DEPTH } from '../../../src/platform/database/queue.js';
import { hashing } from '../../../src/services/auth/password.js';
import { newImageKey } from '../../../src/services/images/store.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { addJobs, runDueJobs } from '../../support/jobs.js';
import { STREAM } from '../../support/live.js';
import { scrape, scrapeGrowth } from '../../support/metrics.js';
import { logIn } from '../../support/session.js';

describe('GET /metrics', () => {
  const app = useApp();

  it('returns Prometheus text with process and build metrics', async () => {
    const response = await fetch(`${app.url}/metrics`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect(response.headers.get('Cache-Control')).to.equal('no-store');
    const metrics = await scrape(app.url);
    expect(metrics.value('daybook_build_info', { node: process.version })).to.equal(1);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(metrics.value(name), name).to.be.above(0);
    }
  });

  it('counts requests by method, route pattern and status class', async () => {
    const labels = { method: 'GET', route: '/api/articles/{articleId}', status: '4xx' };
    const count = async () => (await scrape(app.url)).value('daybook_http_request_duration_seconds_count', labels);
    const before = await count();
    await fetch(`${app.url}/api/articles/999001`);
    await fetch(`${app.url}/api/articles/999002?page=1`);
    expect(await count()).to.equal(before + 2);
  });

  it('does not use unknown paths and unsupported methods as labels', async () => {
    await fetch(`${app.url}/wp-login.php`);
    await fetch(`${app.url}/api/nothing/4711`);
    await send(app.url, 'PROPFIND', '/api/articles/4711');
    const { text } = await scrape(app.url);
    for (const word of ['wp-login', '/4711', 'PROPFIND']) expect(text).to.not.contain(word);
  });

  it('counts methods that a path does not have as one', async () => {
    const route = '/api/articles/{articleId}/related';
    const growth = await scrapeGrowth(app.url, async () => {
      for (const method of ['POST', 'DELETE', 'PROPFIND']) await send(app.url, method, '/api/articles/4711/related');
    });
    const count = (method: string) => growth('daybook_http_request_duration_seconds_count', { route, method });
    expect([count('other'), count('POST'), count('DELETE')]).to.deep.equal([3, 0, 0]);
  });

  it('contains no data of members', async () => {
    const { email, nickname, token } = await buildMember(app.url);
    await fetch(`${app.url}/api/members/me`, { headers: { Authorization: `Bearer ${token}` } });
    const { text } = await scrape(app.url);
    for (const word of [email, nickname, token]) expect(text).to.not.contain(word);
  });

  it('counts operations of both APIs by their field, not by the client’s operation name', async () => {
    const query = 'query Sesame($id: ID!) { article(id: $id) { id } }';
    const growth = await scrapeGrowth(app.url, async () => {
      for (let round = 0; round < 5; round++) await graphql(app.url, query, { id: '999003' });
      await call(app.url, 'GET /api/articles/999003');
      await graphql(app.url, '{ a: tags { contents { name } } b: tags { contents { name } } }');
    });
    const name = 'daybook_graphql_operation_duration_seconds_count';
    const failed = { type: 'query', field: 'article', outcome: 'failed' };
    expect(growth(name, { api: 'graphql', ...failed })).to.equal(5);
    expect(growth(name, { api: 'rest', ...failed })).to.equal(1);
    expect(growth(name, { field: 'several', outcome: 'done' })).to.equal(1);
    expect((await scrape(app.url)).text).to.not.contain('Sesame');
  });

  it('measures statements by name, including failed ones, and the connection pool', async () => {
    const growth = await scrapeGrowth(app.url, async () => {
      await logIn(app.url, await buildMember(app.url));
      await app.database.query({ name: 'wrong', text: 'select 1 / $1::int' }, [0]).catch(() => {});
    });
    const name = 'daybook_sql_statement_duration_seconds_count';
    expect(growth(name, { statement: 'member_by_email', outcome: 'done' })).to.equal(1);
    expect(growth(name, { statement: 'insert_row_of_members', outcome: 'done' })).to.equal(1);
    expect(growth(name, { statement: 'wrong', outcome: 'failed' })).to.equal(1);
    const metrics = await scrape(app.url);
    expect(metrics.value('daybook_db_pool_connections_max', { pool: 'requests' })).to.equal(10);
    expect(metrics.value('daybook_db_pool_connections', { pool: 'requests' })).to.be.above(0);
    expect(metrics.text).to.match(/^daybook_db_pool_waiting\{pool="requests"\} 0$/m);
  });

  it('counts failed logins, reached limits, and errors by key', async () => {
    const { email } = await buildMember(app.url);
    const login = { email, password: 'another one' };
    const growth = await scrapeGrowth(app.url, async () => {
      await buildMember(app.url);
      for (let round = 0; round < 11; round++) await call(app.url, 'POST /api/auth/login', { json: login });
      await graphql(app.url, '{ article(id: 999003) { id } }');
    });
    expect(growth('daybook_security_events_total', { kind: 'LOGIN_FAILED' })).to.equal(10);
    expect(growth('daybook_security_events_total', { kind: 'LOGIN' })).to.equal(1);
    expect(growth('daybook_limits_reached_total', { counted: 'failed logins' })).to.equal(1);
    expect(growth('daybook_errors_total', { api: 'rest', key: 'RATE_LIMITED' })).to.equal(1);
    expect(growth('daybook_errors_total', { api: 'graphql', key: 'ARTICLE_NOT_FOUND' })).to.equal(1);
  });

  it('reports the number of waiting jobs and the results of jobs that ran', async () => {
    const { database } = app.services;
    const task = 'remove-unused-image';
    await addJobs(database, task, [{ key: 'one' }, { key: 'two' }], { delaySeconds: 3_600 });
    await addJobs(database, task, [{ key: newImageKey() }]);
    const depth = async (state: string) => (await scrape(app.url)).value('daybook_jobs', { task, state });
    expect([await depth('due'), await depth('scheduled')]).to.deep.equal([1, 2]);
    const growth = await scrapeGrowth(app.url, () => runDueJobs(app.services, ['remove-unused-image']));
    expect([await depth('due'), await depth('scheduled')]).to.deep.equal([0, 2]);
    expect(growth('daybook_job_duration_seconds_count', { task, outcome: 'done' })).to.equal(1);
  });

  it('reports the jobs of each database that the process uses, each database once', async () => {
    const task = 'send-link';
    const state = 'scheduled';
    await addJobs(app.database, task, [{ id: '1' }], { delaySeconds: 3_600 });
    const query = async (statement: object) => (statement === QUEUE_DEPTH ? [{ task, state, jobs: 3 }] : []);
    const other = { query } as unknown as Database;
    const ends = [watchQueue(app.database), watchQueue(other)];
    const depth = async () => (await scrape(app.url)).value('daybook_jobs', { task, state });
    expect(await Promise.all([depth(), depth()])).to.deep.equal([4, 4]);
    for (const end of ends) end();
    expect(await depth()).to.equal(1);
  });

  it('reports how many tasks of each kind of work run, wait and were rejected', async () => {
    const labels = { work: 'logins' };
    let release = () => {};
    const occupied = hashing.run({ key: 'x', weight: 100 }, () => new Promise<void>((resolve) => (release = resolve)));
    const waiting = Array.from({ length: 33 }, () => hashing.run({ key: 'x' }, async () => {}).catch(() => {}));
    const during = await scrape(app.url);
    release();
    await Promise.all([occupied, ...waiting]);
    const after = await scrape(app.url);
    expect(during.value('daybook_queue_in_use', labels)).to.be.above(0);
    expect(during.value('daybook_queue_waiting', labels)).to.equal(32);
    expect(after.value('daybook_queue_in_use', labels)).to.equal(0);
    expect(after.value('daybook_queue_waiting', labels)).to.equal(0);
    expect(after.value('daybook_queue_rejected_total', labels)).to.equal(hashing.state.rejected);
    for (const work of ['images', 'summaries', 'AI requests']) {
      expect(after.text).to.include(`daybook_queue_waiting{work="${work}"} 0`);
    }
  });

  it('reports the number of open streams, but not their duration', async () => {
    const { token } = await buildMember(app.url);
    const open = async () => (await scrape(app.url)).value('daybook_streams_open', { transport: 'sse' });
    const before = await open();
    const leave = new AbortController();
    const headers = { Authorization: `Bearer ${token}` };
    const growth = await scrapeGrowth(app.url, async () => {
      await fetch(app.url + STREAM, { headers, signal: leave.signal });
      expect(await open()).to.equal(before + 1);
      leave.abort();
      while ((await open()) > before) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(growth('daybook_http_request_duration_seconds_count', { route: STREAM })).to.equal(0);
  });

  it('returns 405 for another method', async () => {
    const response = await fetch(`${app.url}/metrics`, { method: 'POST' });
    expect([response.status, response.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD']);
  });

  for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via']) {
    it(`returns 404 through a local proxy that sends ${name}`, async () => {
      const response = await fetch(`${app.url}/metrics`, { headers: { [name]: '127.0.0.1' } });
      expect(response.status).to.equal(404);
      expect(await response.json()).to.include({ code: 'ROUTE_NOT_FOUND' });
    });
  }

  it('returns 404 for a Host other than this machine, as sent by a proxy or a page in a browser', async () => {
    expect(await send(app.url, 'GET', '/metrics', { Host: 'journal.example.org' })).to.equal(404);
  });
});

describe('GET /metrics with METRICS_TOKEN', () => {
  const token = 'a token for the scraper, long enough';
  const app = useApp({ METRICS_TOKEN: token });
  const statusWith = async (headers: Record<string, string>) => (await fetch(`${app.url}/metrics`, { headers })).status;

  it('responds to requests with this token, also through a proxy', async () => {
    expect(await statusWith({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' })).to.equal(200);
  });

  it('returns 401 without it, with another one, and with the token of a member', async () => {
    const member = await buildMember(app.url);
    const response = await fetch(`${app.url}/metrics`);
    expect([response.status, response.headers.get('WWW-Authenticate')]).to.deep.equal([401, 'Bearer']);
    const { message } = (await response.json()) as { message: string };
    expect(message).to.equal('The metrics require METRICS_TOKEN: send "Authorization: Bearer <METRICS_TOKEN>".');
    for (const wrong of [`${token}.`, member.token]) {
      expect(await statusWith({ Authorization: `Bearer ${wrong}` })).to.equal(401);
    }
  });
});

describe('GET /metrics where PUBLIC_URL is not local', () => {
  const app = useApp({ PUBLIC_URL: 'https://journal.example.org' });

  it('returns 404 without METRICS_TOKEN, because a proxy without headers looks like a local client', async () => {
    const response = await fetch(`${app.url}/metrics`);
    expect(response.status).to.equal(404);
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect(code).to.equal('ROUTE_NOT_FOUND');
    expect(message).to.contain('set METRICS_TOKEN');
    const proxied = await fetch(`${app.url}/metrics`, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
    expect(((await proxied.json()) as { message: string }).message).to.not.contain('METRICS_TOKEN');
  });
});

/** Sends methods and headers that fetch does not allow. @returns the status */
function send(url: string, method: string, path: string, headers = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode)),
    );
    sent.on('error', reject).end();
  });
}
