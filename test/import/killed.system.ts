/** An import that is killed at random points and repeated has the result of one that was not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { startDaybook } from '../support/cli.js';
import { testDatabase } from '../support/database.js';
import { rowsOf } from '../support/imported.js';
import { comment, FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();
const POSTS = 160;
const STATES = ['publish', 'publish', 'publish', 'private', 'draft'];
/** Later kills find less to interrupt. */
const MAX_KILLS = 8;

function post(id: number): string {
  const term = (domain: string, name: string) => `<category domain="${domain}">${name}</category>`;
  const comments = Array.from({ length: 12 }, (_, index) => {
    const key = id * 100 + index;
    return comment(key, { parent: index % 3 && key - 1, author: `Reader ${(id + index) % 30}` });
  });
  const xml = [
    term('category', `Shelf ${id % 25}`),
    term('post_tag', `tag ${id % 40}`),
    `<link>https://made.example/?p=${id}</link><wp:post_name>owls</wp:post_name>`,
    ...comments,
  ].join('');
  const content = `&lt;a href="https://made.example/?p=${(id % POSTS) + 1}"&gt;next&lt;/a&gt; [gallery ids="9000"]`;
  return item(id, { content, creator: `author ${id % 3}`, xml }).replace('>publish<', `>${STATES[id % 5]}<`);
}

const ATTACHMENT = item(9000, {
  xml: '<wp:attachment_url>https://made.example/owl.png</wp:attachment_url>',
}).replace('<wp:post_type>post<', '<wp:post_type>attachment<');

/** What readers and authors see, by the keys of the source. */
async function contents(): Promise<object[]> {
  const statements = [
    `select r.kind, r.key from imported_records r order by 1, 2`,
    `select nickname, member_name from members order by 1`,
    `select m.nickname, k.name, k.is_default from categories k join members m on m.id = k.member_id order by 1, 2`,
    `select r.key, m.nickname, k.name, a.title, a.slug, a.content, a.is_private, a.revision, a.comment_count, a.created_at, a.updated_at,
       (select count(*) from article_revisions v where v.article_id = a.id) as revisions, h.html,
       array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by x.position)::text[] as tags
     from all_articles a join imported_records r on r.kind = 'article' and r.row_id = a.id
     join members m on m.id = a.member_id join categories k on k.id = a.category_id
     left join article_html h on h.article_id = a.id order by 1`,
    `select r.key, d.title, d.content, d.slug, d.revision from drafts d
     join imported_records r on r.kind = 'draft' and r.row_id = d.id order by 1`,
    `select r.key, p.key as parent, m.nickname, c.content, c.created_at from comments c
     join imported_records r on r.kind = 'comment' and r.row_id = c.id left join members m on m.id = c.member_id
     left join imported_records p on p.kind = 'comment' and p.row_id = c.parent_id order by 1`,
    `select (select count(*) from all_articles) as articles, (select count(*) from drafts) as drafts,
       (select count(*) from comments) as comments, (select count(*) from tags) as tags`,
  ];
  return Promise.all(statements.map((sql) => rowsOf(app.database, sql)));
}

describe('An import that is killed', () => {
  let path: string;
  before(async () => {
    const posts = Array.from({ length: POSTS }, (_, index) => post(index + 1));
    path = await fileOf(HEAD + posts.join('') + ATTACHMENT + FOOT);
  });
  beforeEach(testDatabase);

  const start = () =>
    startDaybook(['import', path], {
      DATABASE_URL: process.env.TEST_DATABASE_URL ?? '',
      DATA_DIR: app.dataDir,
      ARTICLE_URL: 'https://new.example/{slug}',
    });
  /** Grows with each transaction, also of those that replace links. */
  const written = async () => {
    const [row] = await rowsOf<{ rows: number }>(
      app.database,
      `select (select count(*) from imported_records) + (select count(*) from article_revisions) as rows`,
    );
    return Number(row?.rows);
  };

  it('has, when it is repeated, the result of one that was not', async () => {
    expect((await start().result).code).to.equal(0);
    const expected = await contents();
    await testDatabase();
    let kills = 0;
    for (let isDone = false; !isDone; ) {
      const before = await written();
      const { child, result } = start();
      while (kills < MAX_KILLS && child.exitCode === null && (await written()) === before) await sleep(20);
      if (kills < MAX_KILLS) await sleep(Math.random() * 250);
      if (kills < MAX_KILLS) child.kill('SIGKILL');
      const { code, stderr } = await result;
      if (code === 'SIGKILL') kills++;
      else expect(code, stderr).to.equal(0);
      isDone = code === 0;
    }
    expect(kills).to.be.above(2);
    expect(await contents()).to.deep.equal(expected);
  }).timeout(180_000);
});
