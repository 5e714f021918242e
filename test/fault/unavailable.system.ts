/** Errors of a database that is unavailable for a time: each is 503 with Retry-After, not 500. */
import { expect } from 'chai';
import pg from 'pg';
import { DatabaseError } from 'sequelize';
import { type Database, openDatabase } from '../../src/platform/database/pool.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call, graphql, type RestResponse } from '../support/client.js';
import { execute, freshDatabase } from '../support/database.js';
import { describeFault, seconds } from '../support/faults.js';
import { readableLog } from '../support/log.js';
import { type RunningService, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

function expectUnavailable({ status, headers, body }: RestResponse, label: string): void {
  expect([status, body?.code], label).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
  expect(Number(headers.get('Retry-After')), label).to.be.within(1, 60);
}

const DISK_FULL =
  'Nothing was saved: no disk space is left. Try again later; the operator of the service has to free disk space.';

const withCode = (code: string) => Object.assign(new Error(code), { code });

const FAILURES: Record<string, Error> = {
  'a connection that has ended': new Error('Client has encountered a connection error and is not queryable'),
  'a connection that is being closed': new Error('Client was closed and is not queryable'),
  'a connection that cannot be opened in time': new Error('timeout expired'),
  'a standby': withCode('25006'),
  'a standby, whose unlogged tables cannot be read': withCode('0A000'),
  'a standby, whose timeline cannot be read': withCode('55000'),
  'a shutdown': withCode('57P01'),
  'a crash': withCode('57P02'),
  'a start': withCode('57P03'),
  'a broken connection': withCode('08006'),
  'no route to the host': withCode('EHOSTUNREACH'),
};

/** The disk in the log, and the error. */
const FULL_DISKS: readonly [disk: string, failure: Error][] = [
  ['database', withCode('53100')],
  ['database', new DatabaseError(Object.assign(withCode('53100'), { sql: 'select' }))],
  ['data folder', withCode('ENOSPC')],
  ['data folder', withCode('EDQUOT')],
  ['data folder', new Error('Cannot write file', { cause: withCode('ENOSPC') })],
];

describe('An unavailable database', () => {
  let failure = new Error();
  const { log, lines } = readableLog();
  const closed = openDatabase('postgres://127.0.0.1:1/nowhere', { poolSize: 1, statementTimeoutMs: 1000 });
  const database: Database = {
    ...closed,
    query: () => Promise.reject(failure),
    forClient: () => database,
  };
  const app = useApp({ RESPONSE_CACHE_MB: '0' }, { database, log });

  for (const [name, error] of Object.entries(FAILURES)) {
    it(`makes requests fail with 503 after ${name}`, async () => {
      failure = error;
      expectUnavailable(await call(app.url, 'GET /api/articles/1'), name);
    });
  }

  it('reports a full disk in the message and in the log', async () => {
    for (const [disk, error] of FULL_DISKS) {
      failure = error;
      lines.length = 0;
      const response = await call(app.url, 'GET /api/articles/1');
      expectUnavailable(response, disk);
      expect(response.body?.message).to.equal(DISK_FULL);
      const headers = { 'Accept-Language': 'ko' };
      expect((await call(app.url, 'GET /api/articles/1', { headers })).body?.message).to.include('디스크 공간이 부족');
      const { errors } = await graphql(app.url, '{ article(id: 1) { id } }');
      expect(errors?.map(({ message, extensions }) => [message, extensions.code])).to.deep.equal([
        [DISK_FULL, 'SERVICE_UNAVAILABLE'],
      ]);
      const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
      expect(logged.map(({ msg, disk }) => [msg, disk])).to.deep.equal(
        Array(3).fill(['the disk is full: free space', disk]),
      );
    }
  });
});

describeFault('read-only', function (measured) {
  this.timeout(60_000);
  const app = useApp({ RESPONSE_CACHE_MB: '0' });
  let article: BuiltArticle;

  before(async () => {
    article = await buildArticle(app.url);
  });
  /** Changes the mode for new sessions, and ends the others. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const name = new URL(app.database.url).pathname.slice(1);
    await execute([
      `alter database ${name} set default_transaction_read_only = ${isReadOnly}`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    ]);
  }

  const ready = async () => {
    const response = await fetch(`${app.url}/readyz`);
    return [response.status, ((await response.json()) as { database: string }).database];
  };

  it('is not ready, rejects writes with 503, and still serves reads', async () => {
    const write = { token: article.author.token, json: { content: 'Hello' } };
    const beganAt = performance.now();
    let reportedMs: number;
    let endedAt: number;
    try {
      await setReadOnly(true);
      await until(async () => (await ready()).join() === '503,read-only');
      reportedMs = performance.now() - beganAt;
      expectUnavailable(await call(app.url, `POST /api/articles/${article.id}/comments`, write), 'a write');
      expect((await call(app.url, `GET /api/articles/${article.id}`)).status).to.equal(200);
    } finally {
      // Also if an assertion has failed: other files use the database.
      endedAt = performance.now();
      await setReadOnly(false);
    }
    await until(async () => (await ready()).join() === '200,reachable');
    expect((await call(app.url, `POST /api/articles/${article.id}/comments`, write)).status).to.equal(201);
    const writtenMs = performance.now() - endedAt;
    measured(`reported by /readyz after ${seconds(reportedMs)}; written ${seconds(writtenMs)} after it ended`);
  });
});

describe('A pooler that rejects run-time parameters in the startup packet', function () {
  this.timeout(60_000);
  let relay: Relay;
  let service: RunningService;
  let locker: pg.Client;

  before(async () => {
    const database = await freshDatabase('pooler');
    relay = await startRelay(
      () => database,
      (sent) => /\0(?:options|\w+_timeout)\0/.test(sent),
    );
    service = await startService(relay.through(database), { DATABASE_LOCK_TIMEOUT: '1s' });
    locker = new pg.Client(database);
    await locker.connect();
  });
  after(async () => {
    await locker.end();
    await service.stop();
    await relay.close();
  });

  it('is used with the same timeouts', async () => {
    await buildArticle(service.url);
    await locker.query('begin; lock table articles in access exclusive mode');
    const started = performance.now();
    expectUnavailable(await call(service.url, 'GET /api/articles/999'), 'a statement that waits for a lock');
    expect(performance.now() - started).to.be.within(900, 4_000 * slowdown());
    await locker.query('rollback');
  });
});
