/** The service as a process: startup, error messages of a failed startup, and shutdown. */
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { ConfigError, loadConfig } from '../../src/platform/config/index.js';
import { buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { findServer, serverUrl } from '../support/embedded-server.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { startRelay } from '../support/relay.js';
import { freePort } from '../support/server.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

describe('The service process', function () {
  this.timeout(60_000);

  const folders: string[] = [];
  const processes: ServiceProcess[] = [];

  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-server-'));
    folders.push(folder);
    return folder;
  }

  async function start(environment: Record<string, string>): Promise<ServiceProcess> {
    const started = await startProcess(environment);
    processes.push(started);
    return started;
  }

  /** Expects exit code 1 and exactly these lines on stderr. @returns stdout and stderr */
  async function expectStartError(environment: Record<string, string>, lines: (string | RegExp)[]): Promise<string> {
    const { ended, output } = await start({ DATA_DIR: await makeFolder(), ...environment });
    expect(await ended, output.stderr).to.equal(1);
    const message = output.stderr.trimEnd().split('\n');
    expect(message, output.stderr).to.have.length(lines.length);
    for (const [index, line] of lines.entries()) expect(message[index]).to.match(new RegExp(line));
    return output.stdout + output.stderr;
  }

  after(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    for (const folder of folders) {
      await stopPostgres(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('names an image store and a database that do not respond in its log', async () => {
    const database = await freshDatabase('not_responding');
    const relay = await startRelay(() => database);
    const { port } = new URL(relay.through(database));
    const s3 = { S3_BUCKET: 'photos', S3_ENDPOINT: `http://127.0.0.1:${await freePort()}` };
    const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
    const environment = { DATABASE_URL: relay.through(database), STORAGE: 's3', ...s3, ...keys };
    const { waitForOutput } = await start({ DATA_DIR: await makeFolder(), ...environment });
    await waitForOutput('the image store (bucket photos) failed');
    await relay.close();
    await waitForOutput(`PostgreSQL at 127.0.0.1:${port}/`);
  });

  describe('with the embedded database', () => {
    let dataDir: string;
    let service: ServiceProcess;
    let member: { email: string; password: string };
    const login = () =>
      call(service.url, 'POST /api/auth/login', { json: { email: member.email, password: member.password } });

    before(async () => {
      dataDir = await makeFolder();
    });

    it('starts in an empty folder, accepts connections only when it is ready, and prints its addresses', async () => {
      service = await start({ DATA_DIR: dataDir });
      expect((await firstResponse(service.url)).status).to.equal(200);
      await service.waitForOutput('Process');
      const port = new URL(service.url).port;
      for (const path of ['graphql', 'docs', 'api/articles'])
        expect(service.output.stdout).to.contain(`http://localhost:${port}/${path}\n`);
      for (const [address] of service.output.stdout.matchAll(/http:\S+/g))
        expect((await fetch(address, { headers: { Accept: 'text/html' } })).status, address).to.equal(200);
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
      expect(service.output.stdout, 'no warning').to.not.contain('"level"');
      member = await buildMember(service.url);
    });

    it('stores its secrets in a file that only the owner can read, and prints none of them', async () => {
      const file = join(dataDir, 'secrets.json');
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      const secrets: string[] = Object.values(JSON.parse(await readFile(file, 'utf8')));
      expect(secrets).to.have.length(2);
      for (const secret of secrets) expect(service.output.stdout + service.output.stderr).to.not.contain(secret);
    });

    it('reports a port that is in use in one sentence, and starts no database', async () => {
      const other = await makeFolder();
      const { port } = new URL(service.url);
      const line = `^Daybook cannot start\\. Port ${port} is in use by a running Daybook: stop it, or set PORT to another port\\.$`;
      await expectStartError({ PORT: port, DATA_DIR: other, HOST: '0.0.0.0' }, [line]);
      expect(await readdir(other)).to.deep.equal([]);
    });

    it('restarts after SIGKILL with the same members, and accepts their tokens', async () => {
      const { accessToken } = (await login()).body?.data ?? {};
      service.child.kill('SIGKILL');
      expect(await service.ended).to.equal('SIGKILL');
      service = await start({ DATA_DIR: dataDir });
      await service.waitForOutput('Process');
      expect((await call(service.url, 'GET /api/members/me', { token: accessToken })).body?.data.email).to.equal(
        member.email,
      );
    });

    it('completes the running request on SIGINT, accepts no new one, exits with 0 and stops PostgreSQL', async () => {
      await expectGracefulStop(service, 'SIGINT', await serverUrl(dataDir));
      expect(await findServer(dataDir)).to.equal(undefined);
    });

    it('stops on a signal during startup and leaves no PostgreSQL running', async () => {
      // No client knows the process yet: the delay, which would exceed the limit of this test, is not waited for.
      service = await start({ DATA_DIR: dataDir, SHUTDOWN_DELAY: '10m' });
      await service.waitForOutput('Opening the embedded PostgreSQL');
      service.child.kill('SIGTERM');
      expect(await service.ended, service.output.stderr).to.equal(0);
      expect(service.output.stdout).to.not.contain('Daybook is ready.');
      expect(service.output.stderr).to.equal('');
      expect(await findServer(dataDir)).to.equal(undefined);
    });

    it('keeps its data across a restart', async () => {
      service = await start({ DATA_DIR: dataDir });
      await service.waitForOutput('Process');
      expect((await login()).status).to.equal(200);
      service.child.kill('SIGTERM');
      expect(await within(10_000, service.ended)).to.equal(0);
    });
  });

  describe('with DATABASE_URL', () => {
    const given = () => ({ DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' });

    let service: ServiceProcess;
    let dataDir: string;

    before(async () => {
      dataDir = await makeFolder();
      service = await start({ ...given(), DATA_DIR: dataDir, DATABASE_POOL_SIZE: '2' });
      await service.waitForOutput('Process');
    });

    it('creates no embedded database', async () => {
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
      expect(await readdir(dataDir)).to.deep.equal(['secrets.json']);
    });

    it('returns 404 or 503 after its database connections are terminated, then recovers', async () => {
      const { url } = service;
      const admin = new pg.Client(process.env.TEST_DATABASE_URL);
      await admin.connect();
      try {
        await admin.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
          where datname = current_database() and application_name = 'daybook' and pid <> pg_backend_pid()`);
        for (let round = 0; round < 4; round++) {
          expect((await fetch(`${url}/api/articles/999999`)).status).to.be.oneOf([404, 503]);
        }
        expect((await fetch(`${url}/api/articles/999999`)).status).to.equal(404);
      } finally {
        await admin.end();
      }
    });

    it('completes the running request on SIGTERM, accepts no new one, and exits with 0', () =>
      expectGracefulStop(service, 'SIGTERM', given().DATABASE_URL));

    it('stops on a signal while it loads the application, before it accepts connections', async () => {
      const admin = new pg.Client(given().DATABASE_URL);
      await admin.connect();
      try {
        await admin.query('begin; lock table spam_model in access exclusive mode');
        const starting = await start({ ...given(), DATA_DIR: await makeFolder(), SHUTDOWN_DELAY: '10m' });
        await until(async () => {
          const { rows } = await admin.query(`select from pg_locks
            where not granted and relation = 'spam_model'::regclass and database = (select oid from pg_database where datname = current_database())`);
          return rows.length > 0;
        });
        starting.child.kill('SIGTERM');
        await starting.waitForOutput('stopping');
        await admin.query('rollback');
        expect(await starting.ended, starting.output.stderr).to.equal(0);
        expect(starting.output.stdout).to.not.contain('Daybook is ready.');
        expect(starting.output.stderr).to.equal('');
      } finally {
        await admin.end();
      }
    });

    it('reports an unreachable database in one sentence, without the password', async () => {
      const DATABASE_URL = 'postgres://someone:hushhush@127.0.0.1:1/nowhere';
      const message = await expectStartError({ DATABASE_URL }, [
        '^Daybook cannot start\\. The database at 127\\.0\\.0\\.1:1/nowhere \\(DATABASE_URL\\) cannot be used: .*ECONNREFUSED.*\\. Check that PostgreSQL is running',
      ]);
      expect(message).to.not.contain('hushhush');
    });

    it('reports a wrong database password in one sentence, without printing it', async () => {
      const wrong = new URL(given().DATABASE_URL);
      wrong.password = 'hushhush';
      const message = await expectStartError({ DATABASE_URL: wrong.href }, [
        '\\(DATABASE_URL\\) cannot be used: .*password',
      ]);
      expect(message).to.not.contain('hushhush');
    });
  });

  describe('with invalid settings', () => {
    const wrong: Record<string, [Record<string, string>, string]> = {
      PORT: [{ PORT: 'abc' }, 'PORT must be a port from 0 (any free one) to 65535, not "abc".'],
      'PORT past its end': [{ PORT: '65536' }, 'PORT must be a port from 0 (any free one) to 65535, not "65536".'],
      WORKERS: [{ WORKERS: '0' }, 'WORKERS must be auto, or a whole number from 1 to 64, not "0".'],
      'WORKERS past its end': [{ WORKERS: '65' }, 'WORKERS must be auto, or a whole number from 1 to 64, not "65".'],
      JWT_SECRET: [{ JWT_SECRET: 'short' }, 'JWT_SECRET must be at least 32 characters, not the given value (hidden).'],
      ACCESS_TOKEN_TTL: [{ ACCESS_TOKEN_TTL: 'soon' }, 'ACCESS_TOKEN_TTL must be a duration such as 30m, not "soon".'],
      'ACCESS_TOKEN_TTL below a second': [
        { ACCESS_TOKEN_TTL: '5' },
        'ACCESS_TOKEN_TTL must be a duration such as 30m, not "5".',
      ],
      'ACCESS_TOKEN_TTL beyond reason': [
        { ACCESS_TOKEN_TTL: '99999999999y' },
        'ACCESS_TOKEN_TTL must be a duration such as 30m, not "99999999999y".',
      ],
      STORAGE: [{ STORAGE: 'floppy' }, 'STORAGE must be local or s3, not "floppy".'],
      'STORAGE without a bucket': [{ STORAGE: 's3' }, 'S3_BUCKET must be set, since STORAGE is s3.'],
      LOG_LEVEL: [
        { LOG_LEVEL: 'loud' },
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud".',
      ],
      DATABASE_URL: [
        { DATABASE_URL: 'mysql://root:hushhush@localhost/x' },
        'DATABASE_URL must be a URL such as postgres://user:password@host:5432/name, not the given value (hidden).',
      ],
      REST_PAGE_BASE: [{ REST_PAGE_BASE: '2' }, 'REST_PAGE_BASE must be 0 or 1, not "2".'],
      CORS_ORIGINS: [
        { CORS_ORIGINS: 'https://a.org/path' },
        'CORS_ORIGINS must be origins such as https://example.org, separated by commas, without wildcards, not "https://a.org/path".',
      ],
      PUBLIC_URL: [
        { PUBLIC_URL: 'journal' },
        'PUBLIC_URL must be a URL without a query and a fragment, such as https://journal.example.org, not "journal".',
      ],
      'SITE_URL with a password': [
        { SITE_URL: 'ftp://someone:hushhush@journal.example.org' },
        'not "ftp://***@journal.example.org".',
      ],
      'SITE_URL with a misplaced password': [{ SITE_URL: 'https:someone:hush/hush@journal' }, 'not "***@journal".'],
      LIMIT_WRITE_BYTES: [
        { LIMIT_WRITE_BYTES: '2GB/1d' },
        'LIMIT_WRITE_BYTES must be a size from 1B to 1GB and a duration, such as 20MB/1d, not "2GB/1d".',
      ],
      GRAPHQL_INTROSPECTION: [
        { GRAPHQL_INTROSPECTION: 'maybe' },
        'GRAPHQL_INTROSPECTION must be true or false, not "maybe".',
      ],
    };
    for (const [what, [environment, sentence]] of Object.entries(wrong)) {
      it(`rejects an invalid ${what}`, () => {
        expect(() => loadConfig(environment)).to.throw(ConfigError, sentence);
      });
    }

    it('starts a primary for WORKERS=auto and for more than one worker', () => {
      expect(loadConfig({ WORKERS: '1' }).workers).to.equal(null);
      expect(loadConfig({ WORKERS: '3' }).workers).to.equal(3);
      expect(loadConfig({ WORKERS: 'auto' }).workers).to.be.within(1, 5);
    });

    it('treats an empty setting as not set', () => {
      expect(loadConfig({ PORT: '', JWT_SECRET: '', DATABASE_URL: '' })).to.include({
        port: 4000,
        jwtSecret: null,
        databaseUrl: null,
      });
    });

    it('reports all invalid settings, one sentence each, without secrets, and creates no files', async () => {
      const dataDir = await makeFolder();
      const message = await expectStartError(
        { DATA_DIR: dataDir, PORT: 'abc', JWT_SECRET: 'hushhush', ACCESS_TOKEN_TTL: 'soon', LOG_LEVEL: 'loud' },
        [
          '^Daybook cannot start\\. PORT must be',
          '^JWT_SECRET must be',
          '^ACCESS_TOKEN_TTL must be',
          '^LOG_LEVEL must be',
        ],
      );
      expect(message).to.not.contain('hushhush');
      expect(await readdir(dataDir)).to.deep.equal([]);
    });

    it('rejects a HOST that is not an address of this machine', async () => {
      await expectStartError({ HOST: '192.0.2.1' }, [
        '^Daybook cannot start\\. HOST must be an address of this machine, not "192.0.2.1"',
      ]);
    });
  });
});

/** Locks of other databases are those of other tests. */
const WAITING = `select from pg_locks l join pg_database d on d.oid = l.database
  where not l.granted and d.datname = current_database()`;

/** @param database URL of the database that the service uses */
async function expectGracefulStop(
  { url, child, ended, output, waitForOutput }: ServiceProcess,
  signal: 'SIGTERM' | 'SIGINT',
  database: string,
): Promise<void> {
  const blocker = new pg.Client(database);
  await blocker.connect();
  let running: Promise<Response>;
  try {
    await blocker.query('begin; lock table articles in access exclusive mode');
    const idle = await openIdle(url);
    running = fetch(`${url}/api/articles/999999`);
    await until(async () => (await blocker.query(WAITING)).rowCount !== 0);
    child.kill(signal);
    await waitForOutput(`${signal}: stopping.`);
    const refused = await fetch(`${url}/healthz`).catch((error) => error);
    expect(refused).to.be.instanceOf(Error);
    // Before the running request has ended: not only after the grace period, with all connections.
    if (!idle.closed) await once(idle, 'close');
  } finally {
    // Ends the transaction, also if an assertion has failed: other tests use the table.
    await blocker.end();
  }
  expect((await running).status).to.equal(404);
  expect(await within(10_000, ended), output.stderr).to.equal(0);
}

/** Sends requests until the port is open. @returns the first response */
async function firstResponse(url: string): Promise<Response> {
  return until(() => fetch(`${url}/readyz`).catch(() => undefined));
}

/** A connection that is kept alive after its response. */
async function openIdle(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

async function stopPostgres(dataDir: string): Promise<void> {
  const server = await findServer(dataDir);
  if (!server) return;
  process.kill(server.pid, 'SIGQUIT');
  await until(async () => (await findServer(dataDir)) === undefined);
}

function within<Result>(milliseconds: number, result: Promise<Result>): Promise<Result | 'too late'> {
  return Promise.race([result, delay(milliseconds * slowdown(), 'too late' as const, { ref: false })]);
}
