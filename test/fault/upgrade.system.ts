/** Migrations while another process, of the previous version, reads and writes. */
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { emptyDatabase, execute } from '../support/database.js';
import { describeFault, pause } from '../support/faults.js';
import { connectToShard } from '../support/shards.js';
import { until } from '../support/until.js';

/** The last migration of each version that is in use, from the oldest one on. Add that of a new version. */
const VERSIONS = ['0008-stamps', '0022-notification-mails'];
const LAST = migrations.at(-1)?.name ?? '';

/** One connection for each: the application repeats a transaction that has a deadlock with another one of the same member. */
const MEMBERS = 16;
const ROUNDS = 5;
/** Of each member between two transactions: the migration and other tests need processor time too. */
const PAUSE_MS = 10;
/** Statements of requests on columns that every version has, in the order in which the requests lock the tables. */
const REQUESTS: readonly (readonly string[])[] = [
  ['insert into comments (article_id, member_id, content) values ($article, $member, $text)'],
  [
    `update comments set content = '', member_id = null, deleted_at = now()
     where id = (select max(id) from comments where member_id = $member)`,
  ],
  ['insert into comments (article_id, member_id, content) values ($article, $member, $text)'],
  ['delete from comments where id = (select max(id) from comments where member_id = $member)'],
  [
    `insert into articles (member_id, category_id, title, content) values ($member, $member, $text, $text)`,
    'delete from article_tags where article_id = (select max(id) from articles where member_id = $member and id > $members)',
    `insert into tags (name) values ('tag ' || $member) on conflict (name) do nothing`,
    `insert into article_tags (article_id, position, tag_id) select max(a.id), 0, max(t.id) from articles a, tags t
     where a.member_id = $member and t.name = 'tag ' || $member having count(*) > 0 on conflict do nothing`,
  ],
  ['delete from articles where id = (select max(id) from articles where member_id = $member and id > $members)'],
  [
    'select from members where id = $member for update',
    `insert into security_events (member_id, kind, address, device) values ($member, 'LOGIN', '', '')`,
    'update members set bio = $text where id = $member',
  ],
  [
    `select c.content, m.nickname, a.title from comments c left join members m on m.id = c.member_id
     join articles a on a.id = c.article_id where c.article_id = $article order by c.id desc limit 20`,
  ],
  [
    `select a.title, m.nickname, k.name, s.status from articles a join members m on m.id = a.member_id
     join categories k on k.id = a.category_id left join article_summaries s on s.article_id = a.id order by a.id desc limit 20`,
  ],
];

describeFault('upgrade', function (measured) {
  this.timeout(180_000);

  // The schema of a later version is reached on the way: its migrations are the same from there on.
  it('from the oldest version over each later one succeeds, and no statement of a request fails', async () => {
    const url = await emptyDatabase('daybook_upgrade');
    const [oldest = '', ...later] = VERSIONS;
    const migrated = await migrate(url, { upTo: numberOf(oldest) });
    const id = `generate_series(1, ${MEMBERS}) id`;
    await execute(
      [
        `insert into members (email, member_name, nickname) select id || '@example.org', 'Member ' || id, 'member ' || id from ${id}`,
        `insert into categories (member_id, name, is_default) select id, 'Notes', true from ${id}`,
        `insert into articles (member_id, category_id, title, content) select id, id, 'Article ' || id, 'Text' from ${id}`,
      ],
      url,
    );
    const load = await startStatements(url);
    try {
      for (const version of [...later, LAST]) {
        await load.eachRequest();
        const before = load.completed();
        const names = await migrate(url, { upTo: numberOf(version) });
        measured(`${names.length} migrations up to ${version} beside ${load.completed() - before} transactions`);
        migrated.push(...names);
      }
      await load.eachRequest();
    } finally {
      expect(await load.stop()).to.deep.equal([]);
    }
    expect(migrated).to.deep.equal(migrations.map(({ name }) => name));
  });
});

const numberOf = (version: string) => migrations.findIndex(({ name }) => name === version) + 1;

/** Executes the requests of each member one after another, each in a transaction. */
async function startStatements(connectionString: string) {
  let isOver = false;
  const failures = new Set<string>();
  // Sums of rows in two of sixteen shards: members wait for one another as they would only rarely.
  const clients: { client: pg.Client; member: number; completed: number }[] = [];
  for (let member = 1; member <= MEMBERS; member++)
    clients.push({ client: await connectToShard(connectionString, member % 2), member, completed: 0 });
  const running = clients.map(async (one) => {
    const { client, member } = one;
    for (let round = member; !isOver; round++) {
      const statements = REQUESTS[round % REQUESTS.length] ?? [];
      const values = { $members: MEMBERS, $member: member, $article: (round % MEMBERS) + 1, $text: `'text ${round}'` };
      const texts = statements.map((text) =>
        text.replace(/\$\w+/g, (name) => String(values[name as keyof typeof values])),
      );
      try {
        // Each statement is sent after the response to the previous one, as by a request.
        for (const text of ['begin', ...texts, 'commit']) await client.query(text);
        one.completed++;
        await pause(PAUSE_MS);
      } catch (error) {
        const { message, detail = '' } = error as pg.DatabaseError;
        failures.add(`${texts.join('; ')}: ${message} ${detail}`);
        await client.query('rollback');
      }
    }
    await client.end();
  });
  return {
    completed: () => clients.reduce((sum, { completed }) => sum + completed, 0),
    /** Resolves when each member has executed each request several times, so that plans are cached, or when one has failed. */
    eachRequest: async () => {
      const goals = clients.map((one) => ({ one, goal: one.completed + ROUNDS * REQUESTS.length + 1 }));
      await until(() => failures.size > 0 || goals.every(({ one, goal }) => one.completed >= goal));
    },
    /** @returns the transactions that failed */
    stop: async () => {
      isOver = true;
      await Promise.all(running);
      return [...failures];
    },
  };
}
