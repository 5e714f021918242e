/** Withdrawals and deletions with many rows: a process that is killed while the job deletes them, and the next one that continues. */
import { expect } from 'chai';
import { JWT_SECRET, MANY_REGISTRATIONS, useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { execute, holdLocks, truncateAll } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { rowsOf } from '../support/imported.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { DIFFERENCES, withdraw } from '../support/reactions.js';
import { until } from '../support/until.js';

/** Overridden to measure. */
const ROWS = Number(process.env.WITHDRAWN_ROWS ?? 20_000);

describe(`A withdrawal and a deletion with ${ROWS} comments each`, function () {
  this.timeout(600_000);
  let dataDir: string;
  let service: ServiceProcess;
  // It runs no jobs.
  const app = useApp();
  before(async () => {
    // Rows of what earlier tests have deleted would be deleted first.
    await truncateAll(app.database);
    dataDir = await makeFolder();
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

  const left = async (condition: string) =>
    (await rowsOf<{ left: number }>(app.database, `select count(*)::int as left from comments where ${condition}`))[0]
      ?.left ?? 0;

  async function timed(name: string, send: () => Promise<unknown>): Promise<void> {
    const startedAt = performance.now();
    await send();
    process.stdout.write(`      ${name}: ${Math.round(performance.now() - startedAt)} ms\n`);
  }

  it('are completed, although the process is killed several times', async () => {
    await start();
    const [leaver, author]: BuiltMember[] = [await buildMember(service.url), await buildMember(service.url)];
    if (!leaver || !author) throw new Error('no members');
    const [kept, deleted] = [await buildArticle(service.url, {}, author), await buildArticle(service.url, {}, author)];
    const insertions = [
      `insert into members (email, member_name, nickname) select n || '@example.org', 'm', 'm' || n from generate_series(1, 100) n`,
      `insert into comments (article_id, member_id, content) select ${kept.id}, ${leaver.id}, 'Text' from generate_series(1, ${ROWS})`,
      `insert into comments (article_id, member_id, content)
       select ${deleted.id}, m.id, 'Text' from members m, generate_series(1, ${Math.ceil(ROWS / 100)}) where m.email like '%@example.org' and m.member_name = 'm'`,
      `insert into notifications (member_id, type, article_id, comment_id, actor_id)
       select ${author.id}, 'COMMENT', article_id, id, member_id from comments where id % ${Math.ceil(ROWS / 2_000)} = 0 order by id`,
    ];
    await execute(insertions, app.database.url);
    const phases = [
      { condition: `article_id = ${deleted.id}`, parts: [0.8] },
      { condition: `member_id = ${leaver.id}`, parts: [0.8, 0.4] },
    ];
    // The row that the job reaches last, since it begins with the newest ones: it cannot finish before it is killed, however quick it is.
    const lastOf = (condition: string) => `select from comments where ${condition} order by id limit 1 for update`;
    const locked = await Promise.all(
      phases.map(async (phase) => ({
        ...phase,
        rows: await left(phase.condition),
        locker: await holdLocks(app.database.url, lastOf(phase.condition)),
      })),
    );
    await timed('deletion', () =>
      expectStatus(call(service.url, `DELETE /api/articles/${deleted.id}`, { token: author.token }), 200, '1'),
    );
    await timed('withdrawal', async () => expect((await withdraw(service.url, leaver)).status).to.equal(200));
    for (const { condition, parts, rows, locker } of locked) {
      for (const part of parts) {
        await until(async () => (await left(condition)) < rows * part, 120_000);
        service.child.kill('SIGKILL');
        await service.ended;
        expect(await left(condition), condition).to.be.above(0);
        expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
        await start();
        const { body } = await call(service.url, `GET /api/articles/${kept.id}/comments`);
        expect(body?.data.contents[0]).to.include({ author: '(withdrawn)', memberId: 0 });
      }
      await locker.end();
    }
    await until(async () => {
      const tables = ['withdrawn_members', 'ended_articles'].map((table) => `select from ${table}`);
      return (await rowsOf(app.database, tables.join(' union all '))).length === 0;
    }, 300_000);
    expect(await left(`member_id = ${leaver.id} or article_id = ${deleted.id}`)).to.equal(0);
    expect(await left(`article_id = ${kept.id}`)).to.equal(ROWS);
    expect(await rowsOf(app.database, DIFFERENCES)).to.deep.equal([]);
  });
});
