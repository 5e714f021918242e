/** Many followers: a process that is killed while they are notified, and what others notice meanwhile. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { JWT_SECRET, MANY_REGISTRATIONS, useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { execute, holdLocks } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { rowsOf } from '../support/imported.js';
import { waitingJobs } from '../support/jobs.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { until } from '../support/until.js';

/** Overridden to measure. */
const FOLLOWERS = Number(process.env.FOLLOWERS ?? 6_000);
const EMAILS = process.env.FOLLOWER_EMAILS === 'AT_ONCE';

describe(`${FOLLOWERS} followers`, function () {
  this.timeout(600_000);
  let dataDir: string;
  let author: BuiltMember;
  let service: ServiceProcess;
  // It runs no jobs.
  const app = useApp();
  before(async () => {
    dataDir = await makeFolder();
    author = await buildMember(app.url);
    const insertions = [
      `insert into members (email, member_name, nickname, email_verified_at)
       select 'f' || n || '@example.org', 'f', 'f' || n, now() from generate_series(1, ${FOLLOWERS}) n`,
      `insert into follows (follower_id, member_id) select id, ${author.id} from members where id <> ${author.id}`,
      ...(EMAILS
        ? [
            `insert into notification_settings (member_id, type, enabled, email)
             select follower_id, 'ARTICLE', true, 'AT_ONCE' from follows`,
          ]
        : []),
      'analyze',
    ];
    await execute(insertions, app.database.url);
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
  });

  async function start(): Promise<void> {
    const own = { HOST: '127.0.0.1', DATABASE_URL: app.database.url, DATA_DIR: dataDir, JWT_SECRET };
    service = await startProcess({ ...own, LIMIT_REGISTER: MANY_REGISTRATIONS });
    await service.waitForOutput('Daybook is ready.');
  }

  async function stateOf(articleId: number) {
    const [found] = await rowsOf<{ rows: number; members: number; wrong: number; isDone: boolean }>(
      app.database,
      `select count(*)::int as rows, count(distinct n.member_id)::int as members,
         (select count(*)::int from notification_counts c where (c.total, c.unread) <>
            (select count(*), count(*) filter (where read_at is null) from notifications where member_id = c.member_id)) as wrong,
         not exists (select from announcements) as "isDone"
       from notifications n where n.type = 'ARTICLE' and n.article_id = ${articleId}`,
    );
    return found;
  }
  const notified = async (articleId: number) =>
    (
      await rowsOf<{ rows: number }>(
        app.database,
        `select count(*)::int as rows from notifications where article_id = ${articleId}`,
      )
    )[0]?.rows ?? 0;
  const ended = async () => (await rowsOf(app.database, 'select from announcements')).length === 0;

  it('are notified once each, although the process is killed several times', async () => {
    await start();
    // The last follower, so that the job cannot finish before it is killed, however quick it is.
    const last = await holdLocks(app.database.url, 'select from members order by id desc limit 1 for update');
    const { id } = await buildArticle(service.url, { title: 'Owls' }, author);
    for (let part = 1; part <= 2; part++) {
      await until(async () => (await notified(id)) >= (FOLLOWERS * part) / 4);
      service.child.kill('SIGKILL');
      await service.ended;
      const state = await stateOf(id);
      expect(state).to.deep.equal({ rows: state?.rows, members: state?.rows, wrong: 0, isDone: false });
      expect((state?.rows ?? 0) % 200).to.equal(0);
      await start();
    }
    await last.end();
    await until(ended, 300_000);
    expect(await stateOf(id)).to.deep.equal({ rows: FOLLOWERS, members: FOLLOWERS, wrong: 0, isDone: true });
    await until(async () => (await waitingJobs(app)).every(({ task }) => task !== 'announce-article'));
  });

  it('delay neither another job nor requests that notify a follower', async () => {
    const reader = await buildMember(service.url);
    await call(service.url, `PUT /api/members/${author.id}/follow`, { token: reader.token });
    // The followers of the smallest ids, and so of the first batches, are among the recipients.
    const other = await buildMember(service.url);
    await call(service.url, `PUT /api/members/${other.id}/follow`, { token: reader.token });
    const own = await buildArticle(service.url, {}, reader);
    const cpu = await cpuOf(service);
    const startedAt = performance.now();
    const { id } = await buildArticle(service.url, { title: 'Larks' }, author);
    const waits: number[] = [];
    const locks: number[] = [];
    const small = await buildArticle(service.url, { title: 'Wrens' }, other);
    let smallAt = 0;
    while (!(await ended())) {
      const sentAt = performance.now();
      await buildComment(service.url, own.id, {}, other);
      waits.push(performance.now() - sentAt);
      const [oldest] = await rowsOf<{ ms: number }>(
        app.database,
        `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as ms
         from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
      );
      locks.push(oldest?.ms ?? 0);
      if (smallAt === 0 && (await notified(small.id)) > 0) smallAt = performance.now() - startedAt;
      await delay(10);
    }
    const ms = performance.now() - startedAt;
    expect(await stateOf(id)).to.deep.include({ rows: FOLLOWERS + 1, members: FOLLOWERS + 1, wrong: 0 });
    expect(smallAt).to.be.above(0).and.below(ms);
    const used = await cpuOf(service);
    process.stdout.write(
      `      ${Math.round(ms)} ms, ${Math.round(used.ms - cpu.ms)} ms of Node, ${used.megabytes} MB at most; comments took ${describeAll(waits)}, ` +
        `transactions ${describeAll(locks)}; one follower of another author after ${Math.round(smallAt)} ms\n`,
    );
  });
});

/** The processor time of a process so far, and the largest memory that it has had. */
async function cpuOf({ child: { pid } }: ServiceProcess): Promise<{ ms: number; megabytes: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return { ms: (user + system) * 10, megabytes: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024) };
}

function describeAll(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)} ms (at most ${Math.round(sorted.at(-1) ?? 0)} ms)`;
}
