/** Importing the comments of a WordPress export: threads are flattened; content, dates and authors are kept. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { articleOf, commentOf, load, rowsOf, threads } from '../support/imported.js';
import { comment, EXPORT, FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();

describe('Imported comments', () => {
  before(async () => {
    await testDatabase();
    await load(app.database, EXPORT);
  });

  it('are placed under their top-level comment at any depth', async () => {
    const deep = [201, 202, 203, 204, 205, 206, 207, 208, 209].map((key) => `${key} < 200`);
    expect(await threads(app.database, 200, 212)).to.deep.equal(['200', ...deep, '210', '211', '212']);
  });

  it('are placed under the nearest imported ancestor, or at the top level', async () => {
    expect(await threads(app.database, 301, 312)).to.deep.equal([
      '301',
      '303 < 301',
      '305',
      '307 < 301',
      '308',
      '309 < 311',
      '311',
    ]);
  });

  it('create no notifications', async () => {
    expect(await rowsOf(app.database, 'select id from comments')).to.not.be.empty;
    expect(await rowsOf(app.database, 'select id from notifications')).to.be.empty;
  });

  it('are imported when their parents form a cycle', async () => {
    expect(await threads(app.database, 313, 316)).to.deep.equal(['313', '314 < 313', '315 < 313', '316']);
  });

  it('keep their content, date and author', async () => {
    expect(await commentOf(app.database, 209)).to.deep.equal({
      content: '9단계',
      author: '가람',
      created: '2024-03-02 01:00:09',
      updated: '2024-03-02 01:00:09',
    });
    expect(await commentOf(app.database, 212)).to.include({ content: '이름 없는 댓글 ]]> 끝', author: 'Anonymous' });
    const { content, author } = await commentOf(app.database, 211);
    expect([content, author]).to.deep.equal([`긴 댓글 ${'가'.repeat(994)}…`, '<3 O’Neil & Söhne']);
    expect((await commentOf(app.database, 319)).created).to.equal('2024-03-01 00:00:00');
    expect((await commentOf(app.database, 320)).created).to.equal('2024-03-03 09:00:20');
  });

  it('are matched to authors by email, with different names at one address kept apart', async () => {
    expect((await commentOf(app.database, 210)).author).to.equal('하늘');
    expect((await commentOf(app.database, 200)).author).to.equal('바람');
    expect((await commentOf(app.database, 201)).author).to.equal('가람');
  });

  it('appear in the REST API', async () => {
    const { id } = await articleOf(app.database, 101);
    const { body } = await call(app.url, `GET /api/articles/${id}/comments?size=3`);
    const { contents, pagination } = body?.data ?? {};
    expect(pagination.totalElements).to.equal(4);
    expect(contents.map(({ content }: { content: string }) => content.slice(0, 5))).to.deep.equal([
      '이름 없는',
      '긴 댓글 ',
      '지은이의 ',
    ]);
  });

  it('are flattened in a chain of 20,000 nested replies', async () => {
    const chain = Array.from({ length: 20_001 }, (_, index) => comment(1000 + index, { parent: index && 999 + index }));
    const { added, replies } = await load(app.database, await fileOf(HEAD + item(1, { xml: chain.join('') }) + FOOT));
    expect([added.comments, replies]).to.deep.equal([20_001, 20_000]);
    const [article] = await rowsOf(
      app.database,
      `select comment_count as comments, top_level_count as places from articles order by id desc limit 1`,
    );
    expect(article).to.deep.equal({ comments: 20_001, places: 1 });
  });

  it('give authors of the same name different nicknames', async () => {
    const people = Array.from({ length: 12 }, (_, index) =>
      comment(50 + index, { author: 'Jo', email: `jo${index}@example.org` }),
    );
    await load(app.database, await fileOf(HEAD + item(2, { xml: people.join('') }) + FOOT));
    const rows = await rowsOf<{ nickname: string }>(
      app.database,
      `select nickname from members where member_name = 'Jo' order by id`,
    );
    const nicknames = rows.map(({ nickname }) => nickname);
    expect(nicknames.slice(0, 5)).to.deep.equal(['Jo', 'Jo2', 'Jo3', 'Jo4', 'Jo5']);
    expect(new Set(nicknames).size).to.equal(12);
  });
});
