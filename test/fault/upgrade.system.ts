/** Migrations while another process, of the previous version, reads and writes. */
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { emptyDatabase, execute } from '../support/database.js';
import { describeFault } from '../support/faults.js';
import { connectToShard } from '../support/shards.js';
import { until } from '../support/until.js';

/** The last migration of each version that is in use. Add that of a new version. */
const VERSIONS = ['0008-stamps', '0022-notification-mails'];

/** One connection for each: the application repeats a transaction that has a deadlock with another one of the same member. */
const MEMBERS = 16;
/** Statements of requests on columns that every version has, in the order in which the requests lock the tables. */
const REQUESTS: readonly (readonly string[])[] = [
  ['insert into comments (article_id, member_id, content) values ($article, $member, $text)'],
  ['delete from comments where id = (select max(id) from comments where member_id = $member)'],
  [
    `update comments set content = '', member_id = null, deleted_at = now()
     where id = (select id from comments where member_id = $member and reply_count = 0 and deleted_at is null limit 1)`,
  ],
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

  for (const [place, version] of VERSIONS.entries()) {
    it(`from ${version} succeeds, and no statement of a request fails`, async () => {
      const url = await emptyDatabase(`daybook_upgrade_${place}`);
      const count = migrations.findIndex(({ name }) => name === version) + 1;
      await migrate(url, { upTo: count });
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
      await until(() => load.completed() > 5 * REQUESTS.length * MEMBERS);
      const before = load.completed();
      const migrated = await migrate(url);
      const meanwhile = load.completed() - before;
      const after = load.completed();
      await until(() => load.completed() > after + REQUESTS.length * MEMBERS);
      expect(await load.stop()).to.deep.equal([]);
      expect(migrated).to.deep.equal(migrations.slice(count).map(({ name }) => name));
      measured(`${migrated.length} migrations after ${version} beside ${meanwhile} transactions`);
    });
  }
});

/** Executes the requests of each member one after another, each in a transaction. */
async function startStatements(connectionString: string) {
  let isOver = false;
  let completed = 0;
  const failures = new Set<string>();
  // Sums of rows in two of sixteen shards: members wait for one another as they would only rarely.
  const clients: { client: pg.Client; member: number }[] = [];
  for (let member = 1; member <= MEMBERS; member++)
    clients.push({ client: await connectToShard(connectionString, member % 2), member });
  const running = clients.map(async ({ client, member }) => {
    for (let round = member; !isOver; round++) {
      const statements = REQUESTS[round % REQUESTS.length] ?? [];
      const values = { $members: MEMBERS, $member: member, $article: (round % MEMBERS) + 1, $text: `'text ${round}'` };
      const texts = statements.map((text) =>
        text.replace(/\$\w+/g, (name) => String(values[name as keyof typeof values])),
      );
      try {
        // Each statement is sent after the response to the previous one, as by a request.
        for (const text of ['begin', ...texts, 'commit']) await client.query(text);
        completed++;
      } catch (error) {
        const { message, detail = '' } = error as pg.DatabaseError;
        failures.add(`${texts.join('; ')}: ${message} ${detail}`);
        await client.query('rollback');
      }
    }
    await client.end();
  });
  return {
    completed: () => completed,
    /** @returns the transactions that failed */
    stop: async () => {
      isOver = true;
      await Promise.all(running);
      return [...failures];
    },
  };
}
