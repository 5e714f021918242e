/** Repeated imports: the same file, in parallel, after a failure, a later export of the same blog, another blog. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { loadExport } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import { useApp } from '../support/app.js';
import { testDatabase } from '../support/database.js';
import { articleOf, commentOf, countRows, load, threads } from '../support/imported.js';
import { comment, EXPORT, FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();
const NOTHING = { members: 0, categories: 0, tags: 0, articles: 0, drafts: 0, comments: 0 };

describe('Repeated npm run import', () => {
  beforeEach(testDatabase);

  it('adds nothing, and reports existing records', async () => {
    const { added } = await load(app.database, EXPORT);
    const rows = await countRows(app.database);
    const report = await load(app.database, EXPORT);
    expect(report.added).to.deep.equal(NOTHING);
    const already = (['members', 'categories', 'tags', 'articles', 'drafts', 'comments'] as const).map((kind) =>
      report.existingCount(kind),
    );
    expect(already).to.deep.equal(Object.values(added));
    expect(report.counts('reduced')).to.deep.equal({});
    expect(await countRows(app.database)).to.deep.equal(rows);
  });

  it('adds everything once when three imports run in parallel', async () => {
    const reports = await Promise.all([1, 2, 3].map(() => load(app.database, EXPORT)));
    const rows = await countRows(app.database);
    expect([rows.members, rows.all_articles, rows.drafts, rows.comments]).to.deep.equal([8, 6, 2, 27]);
    expect(reports.reduce((sum, { added }) => sum + added.comments, 0)).to.equal(27);
    expect(rows.imported_records).to.equal(8 + 6 + 2 + 27);
  });

  it('keeps complete articles of a truncated file, and continues from there', async () => {
    const whole = await readFile(EXPORT, 'utf8');
    const part = await fileOf(whole.slice(0, whole.indexOf('<wp:comment_id>308')));
    const report = new Report();
    const failure = await loadExport(async () => app.database, part, report).catch((error: Error) => error.message);
    expect(failure).to.match(/^the file is truncated at line \d+: the export is not complete$/);
    expect([report.added.articles, report.added.comments]).to.deep.equal([1, 13]);
    const { added } = await load(app.database, EXPORT);
    expect([added.articles, added.comments]).to.deep.equal([5, 14]);
    expect((await countRows(app.database)).comments).to.equal(27);
  });

  it('rolls back a post that fails on invalid data, and continues with the next', async () => {
    await app.database.sequelize.query(`alter table comments add constraint refused check (content <> 'Comment 3')`);
    try {
      const file = HEAD + item(1, { xml: comment(2) + comment(3) }) + item(4) + FOOT;
      const report = await load(app.database, await fileOf(file));
      expect([report.added.articles, report.added.comments, report.rejected]).to.deep.equal([1, 0, 1]);
      expect(Object.keys(report.counts('skipped'))[0]).to.match(/^articles that the database rejected: .*refused/);
      expect((await countRows(app.database)).members).to.equal(1);
    } finally {
      await app.database.sequelize.query('alter table comments drop constraint refused');
    }
  });

  it('adds new comments of a later export to the existing article', async () => {
    const old = comment(10) + comment(11, { parent: 10 });
    await load(app.database, await fileOf(HEAD + item(1, { xml: old }) + FOOT));
    const { id } = await articleOf(app.database, 1);
    const late = comment(12, { parent: 11, author: 'Cal' }) + comment(13);
    const report = await load(app.database, await fileOf(HEAD + item(1, { title: 'Edited', xml: old + late }) + FOOT));
    expect([report.added.comments, report.replies, report.existingCount('comments')]).to.deep.equal([2, 1, 2]);
    expect(await threads(app.database, 10, 13)).to.deep.equal(['10', '11 < 10', '12 < 10', '13']);
    expect(await articleOf(app.database, 1)).to.include({ id, title: 'Title 1' });
  });

  it('does not restore what was deleted from the journal', async () => {
    const xml = comment(10) + comment(11, { parent: 10 });
    await load(app.database, await fileOf(HEAD + item(1, { xml }) + item(2, { xml: comment(20) }) + FOOT));
    await app.database.sequelize.query(`delete from articles where title = 'Title 2'`);
    await app.database.sequelize.query(`update comments set deleted_at = now(), content = '', member_id = null
      where parent_id is null and content = 'Comment 10'`);
    const later =
      HEAD + item(1, { xml: xml + comment(12, { parent: 10 }) }) + item(2, { xml: comment(20) + comment(21) }) + FOOT;
    const report = await load(app.database, await fileOf(later));
    expect(report.added).to.deep.equal({ ...NOTHING, comments: 1 });
    expect(report.counts('skipped')).to.deep.equal({ 'comments on articles that are not in the journal': 1 });
    expect(Object.keys(report.counts('reduced'))).to.have.length(1);
    expect(await threads(app.database, 10, 12)).to.deep.equal(['10', '11 < 10', '12']);
  });

  it('skips articles of removed members, and imports their comments without an author', async () => {
    await load(app.database, await fileOf(HEAD + item(1) + item(2, { creator: 'zoe', xml: comment(20) }) + FOOT));
    await app.database.sequelize.query(`delete from members where nickname in ('ann', 'Bea')`);
    const later = HEAD + item(3) + item(2, { creator: 'zoe', xml: comment(21) }) + FOOT;
    const report = await load(app.database, await fileOf(later));
    expect(report.added).to.deep.equal({ ...NOTHING, comments: 1 });
    expect(report.counts('skipped')).to.deep.equal({ 'articles whose author was removed from the journal': 1 });
    expect((await commentOf(app.database, 21).catch((error: Error) => error)) instanceof Error).to.equal(true);
  });

  it('recognizes a blog under http and https, and distinguishes another blog', async () => {
    const file = HEAD + item(1) + FOOT;
    await load(app.database, await fileOf(file));
    const moved = await load(app.database, await fileOf(file.replace('https://made.example', 'http://Made.example/')));
    expect(moved.added).to.deep.equal(NOTHING);
    const other = await load(app.database, await fileOf(file.replace('made.example', 'other.example')));
    expect(other.added).to.deep.equal({ ...NOTHING, members: 1, articles: 1 });
  });
});
