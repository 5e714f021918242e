/** A migration while processes of the previous version read and write. */
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { Migration } from '../../src/platform/database/migration.js';
import { emptyDatabase, execute } from '../support/database.js';
import { describeFault, pause } from '../support/faults.js';
import { connectToShard } from '../support/shards.js';
import { until } from '../support/until.js';

/** Of the next version: it locks tables that the requests use, and builds an index of one. */
const STEP: Migration = {
  name: '9999-moods',
  locks: { comments: 'access exclusive', all_articles: 'share row exclusive', members: 'access exclusive' },
  up: [
    "alter table comments add column mood text not null default ''",
    'alter table members add column mood text',
    'create table moods (article_id bigint references all_articles on delete cascade)',
  ],
  indexes: ['create index comments_mood on comments (article_id, mood)'],
};
const STEPS = [...migrations, STEP];
const MIGRATING = "pg_stat_activity where application_name = 'daybook-migrate' and datname = current_database()";
const IS_VALID = "(select indisvalid from pg_index where indexrelid = 'comments_mood'::regclass)";

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

  it('is repeated until it succeeds, also after it was killed, and no statement of a request fails', async () => {
    const url = await emptyDatabase('daybook_upgrade');
    await migrate(url);
    const id = `generate_series(1, ${MEMBERS}) id`;
    await execute(
      [
        `insert into members (email, member_name, nickname) select id || '@example.org', 'Member ' || id, 'member ' || id from ${id}`,
        `insert into categories (member_id, name, is_default) select id, 'Notes', true from ${id}`,
        `insert into articles (member_id, category_id, title, content) select id, id, 'Article ' || id, 'Text' from ${id}`,
      ],
      url,
    );
    const [other, observer] = [new pg.Client(url), new pg.Client(url)];
    for (const client of [other, observer]) await client.connect();
    const isTrue = async (condition: string) => (await observer.query(`select ${condition} as it`)).rows[0].it === true;
    const start = () => migrate(url, { steps: STEPS }).catch(({ message }: Error) => message);
    /** Starts the migration, and ends its connection as soon as the condition is true. */
    const kill = async (condition: string) => {
      const migrated = start();
      await until(() => isTrue(condition));
      await observer.query(`select pg_terminate_backend(pid) from ${MIGRATING}`);
      // That of the statement in progress, or of the next one.
      expect(await migrated).to.match(/terminat|connection error/);
    };
    const load = await startStatements(url);
    try {
      await load.eachRequest();
      await other.query('begin; lock table members in access share mode');
      await kill(`exists (select from ${MIGRATING} and wait_event_type = 'Lock')`);
      await other.query('commit');
      expect(await isTrue("to_regclass('moods') is null"), 'all of the transaction is undone').to.equal(true);
      // The build of an index waits for the end of this snapshot.
      await other.query('begin isolation level repeatable read; select 1');
      const before = load.completed();
      await kill("exists (select from pg_stat_progress_create_index where phase = 'waiting for old snapshots')");
      await other.query('commit');
      expect(await isTrue(IS_VALID), 'the index is built').to.equal(false);
      expect(await start()).to.deep.equal([STEP.name]);
      measured(`the migration beside ${load.completed() - before} transactions`);
      expect(await isTrue(IS_VALID), 'the index is built').to.equal(true);
      expect(await start()).to.deep.equal([]);
      await load.eachRequest();
    } finally {
      for (const client of [other, observer]) await client.end();
      expect(await load.stop()).to.deep.equal([]);
    }
  });
});

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
