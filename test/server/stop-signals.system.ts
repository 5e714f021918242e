/** A process manager that signals all processes of the service, or one of them several times: one request to stop. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { ROOT } from '../../src/cli/generate/files.js';
import { JWT_SECRET, MANY_REGISTRATIONS } from '../support/app.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, type ServiceProcess, startProcess, startService } from '../support/process.js';
import { until } from '../support/until.js';
import { view } from '../support/views.js';

const READER = '192.0.2.';
/** Between two signals of one request. */
const BETWEEN_MS = 50;
const WAITING = `select from pg_locks l join pg_database d on d.oid = l.database
  where not l.granted and d.datname = current_database()`;

/** The group of the process, which it leads. */
const signalGroup = ({ child }: ServiceProcess) => process.kill(-(child.pid ?? 0), 'SIGTERM');

describe('Signals that reach the service several times', function () {
  this.timeout(180_000);
  let database: string;
  let other: RunningService;
  let article: BuiltArticle;
  let readers = 0;

  before(async () => {
    database = await freshDatabase('daybook_stop_signals');
    other = await startService(database);
    article = await buildArticle(other.url);
  });
  after(() => other.stop());

  const count = async () => (await call(other.url, `GET /api/articles/${article.id}`)).body?.data.viewCount;

  /** Stops a service while a request waits for a lock and a view waits to be written. @returns its exit code */
  async function stop(
    send: (service: ServiceProcess) => unknown,
    environment: Record<string, string> = {},
    command?: string[],
  ): Promise<number | string> {
    const own = {
      HOST: '127.0.0.1',
      DATABASE_URL: database,
      DATA_DIR: await makeFolder(),
      JWT_SECRET,
      TRUST_PROXY: '1',
    };
    const limits = { LIMIT_REGISTER: MANY_REGISTRATIONS };
    const service = await startProcess({ ...own, ...limits, ...environment }, (node) => [
      'setsid',
      ...(command ?? node),
    ]);
    const blocker = new pg.Client(database);
    await blocker.connect();
    const counted = await count();
    try {
      await service.waitForOutput('Daybook is ready.');
      expect(await view(service.url, article.id, { address: `${READER}${++readers}` })).to.equal(204);
      await blocker.query('begin; lock table articles in access exclusive mode');
      const running = fetch(`${service.url}/api/articles/999999`);
      running.catch(() => {});
      await until(async () => (await blocker.query(WAITING)).rowCount !== 0);
      await send(service);
      await service.waitForOutput('SIGTERM: stopping.');
      await delay(BETWEEN_MS);
      await blocker.query('rollback');
      expect((await running).status).to.equal(404);
      const ended = await service.ended;
      expect(await count()).to.equal(counted + 1);
      expect(service.output.stdout.split('SIGTERM: stopping.')).to.have.lengthOf(2);
      // `npm start` says that it builds.
      expect(service.output.stderr.replace('Building Daybook.\n', '')).to.equal('');
      return ended;
    } finally {
      await blocker.end();
      service.child.kill('SIGKILL');
    }
  }

  const twice = async (send: () => unknown) => {
    send();
    await delay(BETWEEN_MS);
    send();
  };

  it('complete requests and write views if npm forwards a signal to its group', async () => {
    const npm = ['npm', '--prefix', fileURLToPath(ROOT), '--loglevel', 'silent', 'start'];
    await stop(signalGroup, {}, npm);
  });

  it('complete requests and write views if the process gets SIGTERM twice', async () => {
    expect(await stop((service) => twice(() => service.child.kill('SIGTERM')))).to.equal(0);
  });

  it('complete requests and write views if the primary and all workers get SIGTERM twice', async () => {
    expect(await stop((service) => twice(() => signalGroup(service)), { WORKERS: '2' })).to.equal(0);
  });

  it('end the process without waiting if they are more than two seconds apart', async () => {
    const environment = { HOST: '127.0.0.1', DATABASE_URL: database, DATA_DIR: await makeFolder(), JWT_SECRET };
    const service = await startProcess({ ...environment, SHUTDOWN_DELAY: '10m' });
    await service.waitForOutput('Daybook is ready.');
    service.child.kill('SIGTERM');
    await service.waitForOutput('SIGTERM: stopping.');
    await delay(2_500);
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(1);
  });
});
