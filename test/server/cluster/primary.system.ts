/** Several worker processes on one port (WORKERS): start, failures, rolling restart, metrics, and shutdown. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type AiProvider, respond, startAiProvider } from '../../support/ai-provider.js';
import { JWT_SECRET, MANY_REGISTRATIONS } from '../../support/app.js';
import { type BuiltArticle, buildArticle } from '../../support/build.js';
import { call } from '../../support/client.js';
import { freshDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { scrape } from '../../support/metrics.js';
import { type ServiceProcess, startProcess } from '../../support/process.js';
import { summaryJson, summaryOf, summaryOutcomesOf } from '../../support/summaries.js';
import { until } from '../../support/until.js';

const ARTICLE = '/api/articles/999999';
const METRIC = 'daybook_http_request_duration_seconds_count';
const UNLIMITED = { LIMIT_REGISTER: MANY_REGISTRATIONS, LIMIT_WRITES: '1000000/1m', LIMIT_WRITE_BYTES: '1GB/1d' };

interface LogLine {
  msg: string;
  worker?: number;
  route?: string;
  [field: string]: unknown;
}

interface Service extends ServiceProcess {
  /** The log so far. */
  readonly log: LogLine[];
}

describe('A service with several workers', function () {
  this.timeout(180_000);

  const services: Service[] = [];

  async function start(environment: Record<string, string>): Promise<Service> {
    const own = { HOST: '127.0.0.1', WORKERS: '2', LOG_LEVEL: 'info', DATA_DIR: await makeFolder() };
    const started = await startProcess({ ...own, ...environment });
    const service = { ...started, log: readLog(started) };
    services.push(service);
    return service;
  }

  async function startReady(environment: Record<string, string>): Promise<Service> {
    const service = await start(environment);
    await service.waitForOutput('Workers ');
    await until(() => workersOf(service).length === 2);
    return service;
  }

  // Workers end with their primary. Their process ids are not used: another process may have the id of a worker that has ended.
  after(() => {
    for (const { child } of services) child.kill('SIGKILL');
  });

  describe('with the embedded database', () => {
    let service: Service;
    let dataDir: string;

    before(async () => {
      dataDir = await makeFolder();
      // BODY_TIMEOUT is for the logins that are completed during the rolling restart.
      const others = { SHUTDOWN_DELAY: '1s', BODY_TIMEOUT: '2m' };
      service = await startReady({ ...UNLIMITED, ...others, DATA_DIR: dataDir, PORT: '0' });
      const [, port] = /Explorer +http:\/\/localhost:(\d+)\/graphiql/.exec(service.output.stdout) ?? [];
      service.url = `http://127.0.0.1:${port}`;
    });

    it('announces once that it is ready, with the process id of the primary, and migrates once', () => {
      const { stdout } = service.output;
      expect(stdout.split('Daybook is ready.')).to.have.lengthOf(2);
      expect(stdout.split('Migrated the database')).to.have.lengthOf(2);
      expect(stdout).to.contain(`  Process    ${service.child.pid}\n  Workers    2\n`);
    });

    it('responds from several processes on one port that the system selected', async () => {
      for (let sent = 0; sent < 10; sent++) expect((await send(service.url)).status).to.equal(404);
      const pids = () => new Set(requestsOf(service).map(({ worker }) => worker));
      await until(() => pids().size === 2);
      expect([...pids()].sort()).to.deep.equal(workersOf(service).sort());
    });

    it('makes a second service on the port fail before it opens a database', async () => {
      const other = await makeFolder();
      const { port } = new URL(service.url);
      const second = await start({ DATA_DIR: other, PORT: port });
      expect(await second.ended).to.equal(1);
      expect(second.output.stderr).to.equal(
        `Daybook cannot start. Port ${port} is in use by a running Daybook: stop it, or set PORT to another port.\n`,
      );
      expect(await readdir(other)).to.deep.equal([]);
    });

    it('returns the sum of all workers in the metrics of any of them', async () => {
      const count = async () => (await scrape(service.url)).value(METRIC, { route: '/api/articles/{articleId}' });
      const before = await count();
      for (let sent = 0; sent < 20; sent++) await send(service.url);
      for (let scraped = 0; scraped < 4; scraped++) expect(await count()).to.equal(before + 20);
      const metrics = await scrape(service.url);
      expect(metrics.value('daybook_build_info')).to.equal(1);
      expect(metrics.value('daybook_db_pool_connections_max', { pool: 'requests' })).to.equal(20);
      expect(metrics.text.match(/^nodejs_eventloop_lag_p99_seconds .*$/gm)).to.have.lengthOf(1);
      expect(metrics.value('process_start_time_seconds')).to.be.within(1e9, Date.now() / 1000);
    });

    describe('on SIGHUP, twice repeated during the rolling restart', () => {
      const ABORTED = 'rolling restart aborted: a new worker did not start';
      let previous: number[];
      let counted: number;
      let article: BuiltArticle;
      let logins: Received[];
      let load: LoadResult;

      before(async () => {
        previous = workersOf(service);
        article = await buildArticle(service.url);
        counted = (await scrape(service.url)).value(METRIC);
        const secrets = join(dataDir, 'secrets.json');
        const valid = await readFile(secrets, 'utf8');
        // Each worker receives one of two new connections.
        const requests = [startLogin(service.url), startLogin(service.url)];
        await delay(500);
        const running = startLoad(service.url, article);
        service.child.kill('SIGHUP');
        await until(() => linesOf(service, 'rolling restart started').length === 1);
        service.child.kill('SIGHUP');
        service.child.kill('SIGHUP');
        await until(() => linesOf(service, 'worker ready').length > previous.length);
        await delay(500);
        logins = await Promise.all(requests.map((finish) => finish()));
        await until(() => linesOf(service, 'worker ready').length === 2 * previous.length);
        // The first restart has started its last worker: that of the second one cannot start.
        await writeFile(secrets, '{}');
        await until(() => linesOf(service, ABORTED).length === 1);
        await writeFile(secrets, valid);
        load = await running.stop();
      });

      it('replaces all workers without a failed request', async () => {
        const { responses, failures, closed, written } = load;
        expect(failures).to.deep.equal([]);
        expect(responses).to.be.above(100);
        expect(written.length).to.be.above(20);
        expect(await commentsOf(service.url, article.id), 'stored comments').to.deep.equal(written.toSorted());
        expect(closed, 'responses with Connection: close on keep-alive connections').to.be.above(0);
        expect(workersOf(service)).to.have.lengthOf(2);
        expect(workersOf(service).filter((pid) => previous.includes(pid))).to.deep.equal([]);
        expect(previous.filter(isRunning)).to.deep.equal([]);
        expect((await scrape(service.url)).value(METRIC)).to.be.at.least(counted + responses);
      });

      it('completes requests that began before it, and then closes their connections', () => {
        expect(logins.map(({ status }) => status)).to.deep.equal([401, 401]);
        expect(logins.some(({ isClosed }) => isClosed)).to.equal(true);
      });

      it('repeats the restart once, and aborts it when a new worker cannot start: the previous workers remain', async () => {
        const order = /^(rolling restart (started|finished)|worker ready)$/;
        const messages = service.log.map(({ msg }) => msg).filter((msg) => order.test(msg) || msg === ABORTED);
        const restarted = ['rolling restart started', 'worker ready', 'worker ready', 'rolling restart finished'];
        expect(messages.slice(previous.length)).to.deep.equal([...restarted, 'rolling restart started', ABORTED]);
        expect(linesOf(service, ABORTED)[0]?.reason).to.contain('secrets.json cannot be used');
        expect(workersOf(service)).to.deep.equal(pidsOf(service, 'worker ready').slice(previous.length));
        expect(workersOf(service).every(isRunning)).to.equal(true);
        expect((await send(service.url)).status).to.equal(404);
      });
    });

    describe('after it', () => {
      it('replaces a worker that is killed under load, and serves later requests', async () => {
        const before = (await scrape(service.url)).value(METRIC);
        const [victim, other] = workersOf(service);
        const load = startLoad(service.url);
        await delay(200);
        process.kill(victim as number, 'SIGKILL');
        await until(() => workersOf(service).some((pid) => pid !== victim && pid !== other));
        const { failures } = await load.stop();
        expect(failures, 'an error instead of a timeout').to.not.include('Error: no response within 20 seconds');
        for (let sent = 0; sent < 10; sent++) expect((await send(service.url)).status).to.equal(404);
        const exits = linesOf(service, 'worker exited').filter(({ code }) => code === null);
        expect(exits).to.have.lengthOf(1);
        expect(exits[0]).to.include({ worker: victim, signal: 'SIGKILL' });
        expect(workersOf(service)).to.have.lengthOf(2).and.include(other);
        expect((await scrape(service.url)).value(METRIC), 'counters do not decrease').to.be.at.least(before);
      });

      it('stops everything on SIGTERM, with the embedded PostgreSQL, and resets no new connection: it serves or refuses each', async () => {
        const pids = [...workersOf(service), Number.parseInt(await readFile(postgresPidFile(), 'utf8'), 10)];
        expect(pids.every(isRunning)).to.equal(true);
        let served = 0;
        let isRefused = false;
        const failures: string[] = [];
        const client = async () => {
          while (!isRefused) {
            await send(service.url).then(
              () => served++,
              ({ code }: NodeJS.ErrnoException) => {
                if (code === 'ECONNREFUSED') isRefused = true;
                else failures.push(String(code));
              },
            );
          }
        };
        const clients = Array.from({ length: 20 }, client);
        await until(() => served > 0);
        service.child.kill('SIGTERM');
        await Promise.all(clients);
        expect(failures).to.deep.equal([]);
        expect(await service.ended, service.output.stderr).to.equal(0);
        // PostgreSQL removes its pid file just before it exits.
        await until(() => !pids.some(isRunning));
        expect(service.output.stderr).to.equal('');
      });

      it('stops on a signal during startup and leaves no process', async () => {
        // The delay would exceed the limit of this test.
        const starting = await start({ DATA_DIR: dataDir, SHUTDOWN_DELAY: '10m' });
        await starting.waitForOutput('Opening the embedded PostgreSQL');
        starting.child.kill('SIGTERM');
        expect(await starting.ended, starting.output.stderr).to.equal(0);
        expect(await readFile(postgresPidFile(), 'utf8').catch(() => 'stopped')).to.equal('stopped');
        expect(allWorkersOf(starting).filter(isRunning)).to.deep.equal([]);
        expect(linesOf(starting, 'worker did not stop and is killed'), 'after a timeout').to.deep.equal([]);
      });
    });

    const postgresPidFile = () => join(dataDir, 'postgres', 'postmaster.pid');
  });

  it('reports a port that is in use before it starts workers, also with DATABASE_URL', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const service = await start({ DATABASE_URL: await freshDatabase('daybook_used_port'), PORT: String(port) });
    expect(await service.ended).to.equal(1);
    other.close();
    expect(service.output).to.deep.equal({
      stdout: '',
      stderr: `Daybook cannot start. Port ${port} is in use by another program: stop it, or set PORT to another port.\n`,
    });
  });

  describe('with DATABASE_URL', () => {
    let provider: AiProvider;
    let service: Service;

    before(async () => {
      provider = await startAiProvider();
      provider.setResponses(respond.withText(summaryJson('Done.')));
      const given = { DATABASE_URL: await freshDatabase('daybook_workers'), JWT_SECRET };
      service = await startReady({ ...UNLIMITED, ...provider.environment, ...given });
    });
    after(() => provider.close());

    it('runs each job once', async () => {
      const { url } = service;
      const first = await buildArticle(url);
      const others = await Promise.all(Array.from({ length: 11 }, () => buildArticle(url, {}, first.author)));
      for (const { id } of [first, ...others])
        await until(async () => (await summaryOf(url, id)).status === 'COMPLETED');
      expect(provider.requests).to.have.lengthOf(12);
      expect(await summaryOutcomesOf(url, first.author.token)).to.deep.equal(Array(12).fill('COMPLETED'));
      const jobs = async () =>
        (await scrape(url)).value('daybook_job_duration_seconds_count', { task: 'summarize-article' });
      await until(async () => (await jobs()) >= 12);
      expect(await jobs()).to.equal(12);
    });

    it('stops its workers when the primary is killed', async () => {
      const pids = workersOf(service);
      expect(pids.filter(isRunning)).to.have.lengthOf(2);
      service.child.kill('SIGKILL');
      await until(() => pids.filter(isRunning).length === 0);
    });
  });

  describe('with workers that cannot start', () => {
    const given = () => ({ DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' });

    it('fails with the reason after three attempts', async () => {
      const dataDir = await makeFolder();
      await writeFile(join(dataDir, 'secrets.json'), '{}');
      const service = await start({ ...given(), DATA_DIR: dataDir });
      expect(await service.ended).to.equal(1);
      expect(service.output.stderr).to.match(
        /^Daybook cannot start\. A worker failed to start 3 times\. \S+secrets\.json cannot be used: .*\n$/,
      );
      expect(allWorkersOf(service).filter(isRunning)).to.deep.equal([]);
    });

    it('reports a wrong HOST once', async () => {
      const service = await start({ ...given(), HOST: '192.0.2.1' });
      expect(await service.ended).to.equal(1);
      expect(service.output.stderr).to.equal(
        'Daybook cannot start. HOST must be an address of this machine, not "192.0.2.1".\n',
      );
    });
  });
});

/** @returns the lines of the log, to which further ones are added */
function readLog({ child }: ServiceProcess): LogLine[] {
  const log: LogLine[] = [];
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine);
  });
  return log;
}

function linesOf({ log }: Service, message: string): LogLine[] {
  return log.filter(({ msg }) => msg === message);
}

function requestsOf(service: Service): LogLine[] {
  return linesOf(service, 'request').filter(({ route }) => route === '/api/articles/{articleId}');
}

function pidsOf(service: Service, message: string): number[] {
  return linesOf(service, message).map(({ worker }) => worker as number);
}

/** Process ids of the workers that are ready. */
function workersOf(service: Service): number[] {
  const ended = new Set([...pidsOf(service, 'worker exited'), ...pidsOf(service, 'worker stopped')]);
  return pidsOf(service, 'worker ready').filter((pid) => !ended.has(pid));
}

function allWorkersOf(service: Service): number[] {
  return pidsOf(service, 'worker started');
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Received {
  status: number | undefined;
  isClosed: boolean;
}

interface Sent {
  readonly path: string;
  /** The expected status. */
  readonly status: number;
  /** A write: its token and JSON body. */
  readonly token?: string;
  readonly json?: object;
}

function send(url: string, agent?: Agent, { path, token, json }: Partial<Sent> = {}): Promise<Received> {
  const write = json && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  };
  return new Promise((resolve, reject) => {
    const options = { agent: agent ?? false, timeout: 20_000, ...write };
    const sent = request(url + (path ?? ARTICLE), options, (response) => {
      const isClosed = response.headers.connection === 'close';
      response.resume().on('end', () => resolve({ status: response.statusCode, isClosed }));
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('no response within 20 seconds')));
    sent.on('error', reject).end(json && JSON.stringify(json));
  });
}

/** Sends a login without the end of its body. @returns a function that completes it */
function startLogin(url: string): () => Promise<Received> {
  const body = JSON.stringify({ email: 'missing@example.org', password: 'a wrong password' });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${url}/api/auth/login`, { method: 'POST', headers, agent });
  const received = new Promise<Received>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => agent.destroy());
      resolve({ status: response.statusCode, isClosed: response.headers.connection === 'close' });
    });
  });
  sent.write(body.slice(0, 10));
  return () => {
    sent.end(body.slice(10));
    return received;
  };
}

interface LoadResult {
  responses: number;
  failures: string[];
  closed: number;
  /** The contents of acknowledged comments. */
  written: string[];
}

/**
 * Sends requests continuously, on new and on keep-alive connections, some of which are idle between two requests: reads without a result,
 * and with an article also reads of its comments, which are cached in part, and writes of comments.
 */
function startLoad(url: string, article?: BuiltArticle): { stop(): Promise<LoadResult> } {
  const result: LoadResult = { responses: 0, failures: [], closed: 0, written: [] };
  let isStopped = false;
  const client = async (pauseMs: number, agent?: Agent, make: () => Sent = () => ({ path: ARTICLE, status: 404 })) => {
    while (!isStopped) {
      const sent = make();
      try {
        const { status, isClosed } = await send(url, agent, sent);
        if (status === sent.status) result.responses++;
        else result.failures.push(`status ${status} of ${sent.path}`);
        if (status === 201 && sent.json) result.written.push((sent.json as { content: string }).content);
        if (agent && isClosed) result.closed++;
      } catch (error) {
        result.failures.push(String(error));
      }
      await delay(pauseMs);
    }
    agent?.destroy();
  };
  const keepAlive = () => new Agent({ keepAlive: true, maxSockets: 1 });
  const clients = [client(50), client(20, keepAlive()), client(50, keepAlive()), client(1_000, keepAlive())];
  if (article) {
    const path = `/api/articles/${article.id}/comments`;
    let count = 0;
    const comment = () => ({ path, status: 201, token: article.author.token, json: { content: `comment ${++count}` } });
    const page = () => ({ path: `${path}?size=3`, status: 200 });
    clients.push(client(50, keepAlive(), page), client(100, keepAlive(), comment), client(100, undefined, comment));
  }
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
      return result;
    },
  };
}

/** The contents of all comments, sorted. */
async function commentsOf(url: string, articleId: number): Promise<string[]> {
  const contents: string[] = [];
  for (let page = 1; ; page++) {
    const { data } = (await call(url, `GET /api/articles/${articleId}/comments?size=100&page=${page}`)).body ?? {};
    contents.push(...data.contents.map(({ content }: { content: string }) => content));
    if (data.pagination.last) return contents.sort();
  }
}
