/** Many changes at once: of one article with many comments, and beside a transaction that stays open. */
import { expect } from 'chai';
import { NUMBER_CHANGES, READ_COMMENTS } from '../../src/models/change.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle, buildComment, buildMember } from '../support/build.js';
import { brief, numberChanges, type ReceivedChange, readPage } from '../support/changes.js';
import { call, expectStatus } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { runJobs } from '../support/jobs.js';
import { genericPlanOf } from '../support/statements.js';

/** Overridden to measure. */
const COMMENTS = Number(process.env.CHANGES_COMMENTS ?? 20_000);
const ROUNDS = 5;
const COMMITS = 1_000;
const BATCH = 10_000;

const app = useApp({ LIMIT_WRITES: '1000000/10m' });

const sql = (text: string) => app.database.sequelize.query(text);
const countOf = async (from: string) =>
  (await rowsOf<{ count: number }>(app.database, `select count(*)::int from ${from}`))[0]?.count;

describe(`An article with ${COMMENTS} comments`, function () {
  this.timeout(600_000);
  let article: BuiltArticle;
  /** Of the comments that a copy has. */
  const copied = new Set<number>();
  let cursor: string | null = null;
  let slowestMs = 0;
  before(async () => {
    article = await buildArticle(app.url);
    const { id, author } = article;
    for (let from = 0; from < COMMENTS; from += BATCH)
      await sql(
        `insert into comments (article_id, member_id, content)
         select ${id}, ${author.id}, 'Comment' from generate_series(1, least(${BATCH}, ${COMMENTS - from}))`,
      );
    await sql('analyze');
  });
  after(() => process.stderr.write(`    the longest round: ${Math.round(slowestMs)} ms\n`));

  async function number(): Promise<void> {
    for (let taken = BATCH; taken === BATCH; ) {
      const startedAt = performance.now();
      taken = (await app.database.query(NUMBER_CHANGES, [BATCH]))[0]?.taken ?? 0;
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }
  }

  /** The number of changes. */
  async function follow(): Promise<number> {
    let received = 0;
    for (let hasMore = true; hasMore; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(app.url, {
        size: 500,
        ...(cursor !== null && { since: cursor }),
      });
      for (const change of page.changes) apply(change);
      received += page.changes.length;
      ({ cursor, hasMore } = page);
    }
    return received;
  }

  function apply({ type, id, action }: ReceivedChange): void {
    if (type === 'article' && id === article.id && action === 'removed') copied.clear();
    if (type !== 'comment') return;
    if (action === 'removed') copied.delete(id);
    else copied.add(id);
  }

  const setVisibility = async (visibility: string) => {
    const { token } = article.author;
    await expectStatus(
      call(app.url, `PUT /api/articles/${article.id}/visibility`, { token, json: { visibility } }),
      200,
      '1',
    );
  };

  it('is private and public in turn with one row of the log and one place each', async () => {
    await number();
    await follow();
    expect(copied.size).to.equal(COMMENTS);
    for (let round = 0; round < ROUNDS; round++) {
      await setVisibility('PRIVATE');
      expect(await countOf('change_log')).to.equal(1);
      await number();
      expect(await follow()).to.equal(1);
      expect(copied.size).to.equal(0);
      await setVisibility('PUBLIC');
      expect(await countOf('change_log')).to.equal(1);
      await number();
      expect(await follow()).to.equal(COMMENTS + 1);
      expect(copied.size).to.equal(COMMENTS);
    }
    expect(await countOf(`changes where type = 'comment' and number is not null`)).to.equal(0);
  });

  it('reads its comments by indexes, however many places the feed has', async () => {
    const plan = await genericPlanOf(app.database, READ_COMMENTS.text);
    expect(plan).to.match(
      /Index Scan using changes_pkey.*\n +Index Cond: \(\(type = 'comment'::text\) AND \(id = m\.id\)\)/,
    );
  });

  it('has the comments of a copy that slept while it was private, and lost some of them', async () => {
    await setVisibility('PRIVATE');
    await number();
    await sql(`delete from comments where id % 10 = 0 and article_id = ${article.id}`);
    await number();
    await setVisibility('PUBLIC');
    await number();
    await follow();
    expect(copied.size).to.equal(await countOf('comments'));
  });

  it('is one removal when it is deleted, and the places of its comments end with their rows, in batches', async () => {
    const { token } = article.author;
    await expectStatus(call(app.url, `DELETE /api/articles/${article.id}`, { token }), 200, '1');
    expect(await countOf('change_log')).to.equal(1);
    await number();
    expect(await follow()).to.equal(1);
    expect(copied.size).to.equal(0);
    await runJobs(app);
    await number();
    expect([await countOf('comments'), await countOf(`changes where type = 'comment'`)]).to.deep.equal([0, 0]);
    expect(await follow()).to.equal(0);
  });
});

describe('A transaction that stays open', function () {
  this.timeout(120_000);

  it(`delays none of ${COMMITS} other commits, and its own changes follow`, async () => {
    const author = await buildMember(app.url);
    const articles = [];
    for (let count = 0; count < 11; count++) articles.push(await buildArticle(app.url, {}, author));
    const [first, ...rest] = articles;
    const comment = await buildComment(app.url, first?.id ?? 0, {}, author);
    await numberChanges(app.database);
    let { cursor } = await readPage(app.url, { since: 'latest' });
    const transaction = await app.database.sequelize.transaction();
    for (const change of [
      `update articles set title = 'Slow' where id = ${first?.id}`,
      `update comments set content = 'Slow', revision = revision + 1 where id = ${comment.id}`,
    ])
      await app.database.sequelize.query(change, { transaction });
    for (let commit = 0; commit < COMMITS; commit++) {
      const { id } = rest[commit % rest.length] ?? {};
      await sql(`update articles set title = 'Title ${commit}' where id = ${id}`);
      if (commit % 10 !== 9) continue;
      await numberChanges(app.database);
      const page = await readPage(app.url, { since: cursor });
      expect(page.changes.map(brief)).to.deep.equal(rest.map((article) => `article ${article.id} updated`));
      ({ cursor } = page);
    }
    await transaction.commit();
    await numberChanges(app.database);
    const { changes } = await readPage(app.url, { since: cursor });
    expect(changes.map(brief)).to.have.members([`article ${first?.id} updated`, `comment ${comment.id} updated`]);
  });
});
