/** Scheduled drafts in faults: each is published exactly once, or, where its schedule was removed, not at all. */
import { expect } from 'chai';
import pg from 'pg';
import { CONTINUE_SCHEDULE } from '../../src/models/draft/publication.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { readyServer, serverUrl } from '../support/embedded-server.js';
import { describeFault, pause, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, type ServiceProcess, startProcess, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { summaryOf } from '../support/summaries.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

/** `npm run faults` measures the numbers in docs/reliability.md. */
const DUE = process.env.FAULT_RESULTS ? 1_000 : 300;
const DUE_AT_KILL = process.env.FAULT_RESULTS ? 100 : 50;
const LIMITS = { LIMIT_WRITES: '1000000/1h', LIMIT_WRITE_BYTES: '1GB/1d' };

/** Drafts with the titles `<name> 0`, `<name> 1`, … in the order of their times, not in that of their ids. @returns their ids in this order */
async function addDrafts(
  observer: pg.Client,
  members: readonly BuiltMember[],
  { name, times }: { name: string; times: readonly string[] },
): Promise<number[]> {
  const ids: number[] = [];
  const { rows: begin } = await observer.query('select now() as at');
  const numbers = times.map((_, number) => number);
  for (const number of numbers.toSorted((one, other) => ((one * 7) % 11) - ((other * 7) % 11))) {
    const { rows } = await observer.query(
      `insert into drafts (member_id, title, content, publish_at)
       values ($1, $2, 'The **tide**.', $4::timestamptz + interval '2 days' + $3::interval) returning id::int`,
      [members[number % members.length]?.id, `${name} ${number}`, times[number], begin[0].at],
    );
    ids[number] = rows[0].id;
    await observer.query(CONTINUE_SCHEDULE.text, [rows[0].id]);
  }
  await observer.query(
    `update drafts set publish_at = publish_at - interval '2 days' + (now() - $2::timestamptz) where id = any($1)`,
    [ids, begin[0].at],
  );
  await observer.query(`update graphile_worker._private_jobs j set run_at = d.publish_at
    from drafts d where j.key = 'publish-drafts:' || d.id`);
  return ids;
}

async function published(observer: pg.Client, name: string): Promise<{ number: number; id: number; at: Date }[]> {
  const { rows } = await observer.query(
    `select split_part(title, ' ', 2)::int as number, id::int, created_at as at from all_articles
     where split_part(title, ' ', 1) = $1 order by id`,
    [name],
  );
  return rows;
}

async function notifiedOf(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query(
    `select count(*)::int as count from notifications where type = 'PUBLICATION' and article_id is not null`,
  );
  return rows[0].count;
}

async function buildMembers(url: string, count: number): Promise<BuiltMember[]> {
  const members: BuiltMember[] = [];
  for (let number = 0; number < count; number++) members.push(await buildMember(url));
  return members;
}

const every = (count: number, ms: number, startMs = 0) =>
  Array.from({ length: count }, (_, number) => `${startMs + number * ms} milliseconds`);

function useDatabase(name: string): { url: string; observer: pg.Client } {
  const used = {} as { url: string; observer: pg.Client };
  before(async () => {
    used.url = await freshDatabase(name);
    used.observer = new pg.Client(used.url);
    await used.observer.connect();
  });
  after(() => used.observer.end());
  return used;
}

describeFault('publication-outage', function (measured) {
  this.timeout(300_000);
  const database = useDatabase('publication_outage');
  let services: RunningService[] = [];
  after(() => Promise.all(services.map((service) => service.stop())));

  it(`publishes ${DUE} drafts in the order of their times while other jobs continue`, async () => {
    const { observer, url } = database;
    const before = await startService(url, LIMITS);
    const members = await buildMembers(before.url, 5);
    await before.stop();
    await addDrafts(observer, members, { name: 'Outage', times: every(DUE, 60_000, -86_400_000) });
    const startedAt = performance.now();
    services = await Promise.all([startService(url, LIMITS), startService(url, LIMITS)]);
    const [one = '', other = ''] = services.map((service) => service.url);
    const article = await buildArticle(one, {}, members[0]);
    await until(async () => (await summaryOf(other, article.id)).status === 'COMPLETED');
    const { rows } = await observer.query('select count(*)::int as waiting from drafts');
    expect(rows[0].waiting, 'drafts that are due when the summary is completed').to.be.above(0);
    await until(async () => (await observer.query('select from drafts limit 1')).rows.length === 0);
    measured(`${DUE} published in ${seconds(performance.now() - startedAt)}, with the start of two processes`);
    const articles = await published(observer, 'Outage');
    expect(articles.map(({ number }) => number)).to.deep.equal(Array.from({ length: DUE }, (_, number) => number));
    expect(await notifiedOf(observer)).to.equal(DUE);
  });

  it('publishes 100 drafts of one time within 10 s', async () => {
    const { observer } = database;
    const members = await buildMembers(services[0]?.url ?? '', 10);
    await addDrafts(observer, members, { name: 'Together', times: every(100, 0, 2_000) });
    const { rows } = await observer.query('select min(publish_at) as due from drafts');
    await until(async () => (await observer.query('select from drafts limit 1')).rows.length === 0);
    const articles = await published(observer, 'Together');
    expect(articles).to.have.length(100);
    const lastMs = Math.max(...articles.map(({ at }) => at.getTime())) - rows[0].due.getTime();
    expect(lastMs).to.be.below(10_000 * slowdown());
    expect(Math.min(...articles.map(({ at }) => at.getTime()))).to.be.at.least(rows[0].due.getTime());
    measured(`the last of 100 at one time after ${seconds(lastMs)}`);
  });
});

describeFault('publication-killed', function (measured) {
  this.timeout(120_000);
  const database = useDatabase('publication_killed');
  let relay: Relay;
  let running: RunningService;
  let member: BuiltMember;
  let killsAt = '';
  let writing: object | undefined;
  let killing: Promise<void> | undefined;

  before(async () => {
    relay = await startRelay(
      () => database.url,
      (sent, connection) => {
        if (sent.includes('Killed 0')) writing = connection;
        if (killing || connection !== writing || !sent.includes(killsAt)) return false;
        killing = running.kill();
        return true;
      },
    );
    running = await startService(relay.through(database.url));
    member = await buildMember(running.url);
  });
  after(async () => {
    await running.stop();
    await relay.close();
  });

  for (const statement of ['insert_row_of', 'notify_of_publication', 'COMMIT']) {
    it(`(at ${statement}) publishes the draft once, by another process`, async () => {
      const { observer, url } = database;
      [killsAt, writing, killing] = [statement, undefined, undefined];
      await observer.query('delete from all_articles; delete from drafts');
      await addDrafts(observer, [member], { name: 'Killed', times: ['0'] });
      await until(() => killing !== undefined);
      await killing;
      const killedAt = performance.now();
      running = await startService(relay.through(url));
      await until(async () => (await observer.query('select from drafts')).rows.length === 0);
      measured(`killed at ${statement}: published ${seconds(performance.now() - killedAt)} after, with the start`);
      await until(
        async () =>
          (await observer.query(`select from graphile_worker.jobs where task_identifier = 'publish-drafts'`)).rows
            .length === 0,
      );
      expect(await published(observer, 'Killed')).to.have.length(1);
      expect(await notifiedOf(observer)).to.equal(1);
    });
  }
});

describeFault('publication-changed', function (measured) {
  this.timeout(120_000);
  const database = useDatabase('publication_changed');

  it('publishes no draft whose schedule was removed, and no other draft twice, in two processes', async () => {
    const { observer, url } = database;
    const services = await Promise.all([startService(url, LIMITS), startService(url, LIMITS)]);
    const members = await buildMembers(services[0].url, 4);
    const ids = await addDrafts(observer, members, { name: 'Changed', times: every(120, 50, 3_000) });
    const removed = new Map<number, number>();
    const { rows } = await observer.query(
      'select id::int, 1000 * extract(epoch from publish_at - now())::float as ahead from drafts',
    );
    const aheadMs = new Map<number, number>(rows.map(({ id, ahead }) => [id, ahead]));
    await Promise.all(
      ids.map(async (id, number) => {
        if (number % 2 === 0) return;
        await pause(Math.max(0, (aheadMs.get(id) ?? 0) + (number % 9) * 100 - 400));
        const { token = '' } = members[number % members.length] ?? {};
        const { status } = await call(services[number % 2]?.url ?? '', `DELETE /api/drafts/${id}/schedule`, { token });
        removed.set(number, status);
      }),
    );
    await until(
      async () => (await observer.query('select from drafts where publish_at is not null')).rows.length === 0,
    );
    const numbers = (await published(observer, 'Changed')).map(({ number }) => number);
    expect(new Set(numbers).size, 'published once').to.equal(numbers.length);
    for (const [number, status] of removed) {
      expect([200, 404]).to.include(status);
      expect(numbers.includes(number), `draft ${number}, removed with ${status}`).to.equal(status === 404);
    }
    expect(numbers.filter((number) => number % 2 === 0)).to.have.length(60);
    const kept = [...removed.values()].filter((status) => status === 200).length;
    measured(`${kept} of 60 removed in time and not published, all others published once`);
    await Promise.all(services.map((service) => service.stop()));
  });
});

describeFault('publication-clock', function (measured) {
  this.timeout(120_000);
  const database = useDatabase('publication_clock');

  for (const [name, hours] of [
    ['back', -1],
    ['forward', 1],
  ] as const) {
    it(`publishes at the time of the database while the clock of the process is set ${name} by an hour`, async () => {
      const { observer, url } = database;
      const shift = `const now = Date.now; const Real = Date; const by = ${hours * 3_600_000};
        globalThis.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(now() + by); } };
        globalThis.Date.now = () => now() + by;`;
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shift)}`;
      const service = await startService(url, { NODE_OPTIONS });
      const members = await buildMembers(service.url, 1);
      await addDrafts(observer, members, { name: `Clock-${name}`, times: every(3, 2_000, 3_000) });
      const { rows: due } = await observer.query('select publish_at as at from drafts order by publish_at');
      await until(async () => (await observer.query('select from drafts')).rows.length === 0);
      const articles = await published(observer, `Clock-${name}`);
      expect(articles.map(({ number }) => number)).to.deep.equal([0, 1, 2]);
      const late = articles.map(({ at }, number) => at.getTime() - due[number].at.getTime());
      expect(Math.min(...late)).to.be.at.least(0);
      expect(Math.max(...late)).to.be.below(10_000 * slowdown());
      measured(`clock ${name}: at most ${seconds(Math.max(...late))} late`);
      await service.stop();
    });
  }
});

describeFault('publication-server-killed', function (measured) {
  this.timeout(300_000);
  const services: ServiceProcess[] = [];
  let dataDir: string;
  let observer: pg.Client;

  const connect = async () => {
    const client = new pg.Client(await serverUrl(dataDir));
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  before(async () => {
    dataDir = await makeFolder();
    for (let count = 0; count < 2; count++) {
      const service = await startProcess({ DATA_DIR: dataDir, ...LIMITS });
      services.push(service);
      await service.waitForOutput('Daybook is ready.');
    }
    observer = await connect();
  });
  after(async () => {
    await observer.end().catch(() => {});
    for (const { child, ended } of services) {
      child.kill('SIGTERM');
      await ended;
    }
  });

  it('publishes each draft once, in the order of their times', async () => {
    const members = await buildMembers(services[0]?.url ?? '', 12);
    const names = ['First', 'Second', 'Third'];
    for (const [index, name] of names.entries()) {
      // Each kill has drafts of its own, since all that are due are published after a slow restart; and authors of its own, since authors take turns.
      const authors = members.slice(4 * index, 4 * index + 4);
      await addDrafts(observer, authors, { name, times: every(DUE_AT_KILL, 50, 2_000) });
      const waiting = (await observer.query('select count(*)::int as count from drafts')).rows[0].count;
      await until(
        async () => (await observer.query('select count(*)::int as count from drafts')).rows[0].count < waiting - 20,
      );
      const { pid } = await readyServer(dataDir);
      process.kill(pid, 'SIGKILL');
      await readyServer(dataDir, pid);
      await observer.end().catch(() => {});
      observer = await connect();
    }
    const restartedAt = performance.now();
    await until(async () => (await observer.query('select from drafts limit 1')).rows.length === 0);
    measured(
      `${3 * DUE_AT_KILL} published once with 3 kills, the last ${seconds(performance.now() - restartedAt)} after the last start`,
    );
    for (const name of names) {
      const numbers = (await published(observer, name)).map(({ number }) => number);
      expect(numbers).to.deep.equal(Array.from({ length: DUE_AT_KILL }, (_, number) => number));
    }
    expect(await notifiedOf(observer)).to.equal(3 * DUE_AT_KILL);
  });
});
