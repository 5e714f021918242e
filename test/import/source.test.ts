/** What all sources of imports share: states, dates, slugs, images, authors, the report, and the dry run. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { runImport } from '../../src/cli/import/run.js';
import { type LoadOptions, loadSource } from '../../src/import/load.js';
import { Report } from '../../src/import/report.js';
import type { ImportSource, SourceItem } from '../../src/import/source.js';
import { useApp } from '../support/app.js';
import { buildImage, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { flat } from '../support/images.js';
import { imageFile, sourceArticle, sourceComment, sourceOf } from '../support/import-source.js';
import { countRows, load, rowsOf } from '../support/imported.js';
import { remove, restore } from '../support/removal.js';
import { comment, EXPORT, FOOT, HEAD, item, useFiles } from '../support/wordpress.js';

const app = useApp();
const fileOf = useFiles();
const openPictures = async () => ({ images: app.services.images, publicUrl: app.url });

async function importItems(
  items: readonly SourceItem[],
  options: LoadOptions = {},
  others: Partial<ImportSource> = {},
) {
  const report = new Report();
  await loadSource(app.database, sourceOf(items, others), report, { openPictures, downloads: false, ...options });
  return report;
}

/** Two frames. */
async function movingWebp(): Promise<Buffer> {
  const frames = await Promise.all([10, 60].map((side) => flat(60, side).resize(60, 60).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    .webp({ loop: 0 })
    .toBuffer();
}

const articleWith = async (slug: string) => (await call(app.url, `GET /api/articles/by-slug/${slug}`)).body?.data;
const rows = (sql: string) => rowsOf<Record<string, unknown>>(app.database, sql);

const HTML_AS_TEXT = `See this (https://a.test/x) & that.

Two
lines

Boat Heron
Ebb
“Goes”

3. Three
- Inner
4. Four
~~Gone~~ words

End`;

describe('An import', () => {
  beforeEach(testDatabase);

  it('keeps times from 1970, and sets times in the future to the present', async () => {
    const epoch = new Date(0);
    const future = new Date('2099-01-01T00:00:00Z');
    const report = await importItems([
      sourceArticle('old', { createdAt: epoch, comments: [sourceComment('1', { createdAt: future })] }),
      sourceArticle('new', { createdAt: future }),
      sourceArticle('edited', { updatedAt: future }),
      sourceArticle('undated', { createdAt: new Date('nothing') }),
      sourceArticle('ancient', { createdAt: new Date(-8e15) }),
    ]);
    expect((await articleWith('title-old')).createdAt).to.equal('1970-01-01T00:00:00');
    expect(await rows(`select slug from articles where created_at > now() or updated_at > now()`)).to.deep.equal([]);
    expect(await rows(`select id from comments where created_at > now()`)).to.deep.equal([]);
    expect(report.counts('reduced')).to.deep.equal({
      'comments with a date in the future: set to the time of the import': 1,
      'articles with a date in the future: set to the time of the import': 2,
      'articles without a date: set to the time of the import': 2,
    });
  });

  it('schedules a draft for 2099, and not for a time that has passed', async () => {
    const publishAt = new Date('2099-01-01T00:00:00Z');
    const report = await importItems([
      sourceArticle('1', { state: 'SCHEDULED', createdAt: publishAt, publishAt }),
      sourceArticle('2', { state: 'SCHEDULED', publishAt: new Date(0) }),
    ]);
    expect(report.counts('reduced')).to.deep.equal({
      'scheduled posts whose time has passed: drafts without a schedule': 1,
    });
    expect(await rows('select publish_at as at from drafts order by id')).to.deep.equal([
      { at: publishAt },
      { at: null },
    ]);
  });

  it('reports slugs that are taken, with a number instead', async () => {
    const report = await importItems([
      sourceArticle('1', { slug: 'owls' }),
      sourceArticle('2', { slug: 'Owls' }),
      sourceArticle('3', { slug: 'owls', state: 'PRIVATE' }),
    ]);
    expect((await articleWith('owls-2')).title).to.equal('Title 2');
    expect(report.counts('reduced')).to.deep.equal({ 'slugs that another article has: now with a number': 1 });
  });

  it('ends loops of comments, keeps accounts apart, and converts HTML', async () => {
    const html =
      '<p>See <a href="https://a.test/x"><b>this</b></a> &amp; <b>that</b>.</p><p>Two<br>lines</p>' +
      '<table><tr><th>Boat</th><td>Heron</td></tr></table><dl><dt>Ebb</dt><dd><q>Goes</q></dd></dl>' +
      '<ol start="3"><li>Three<ul><li>Inner</li></ul></li><li>Four</li></ol><del>Gone</del> words<p>End</p>';
    await importItems([
      sourceArticle('1', {
        comments: [
          sourceComment('1', { parentKey: '2' }),
          sourceComment('2', { parentKey: '3', author: { key: 'cal', name: 'Bea', email: null } }),
          sourceComment('3', { parentKey: '1', content: html, format: 'html' }),
          sourceComment('4', { parentKey: '4' }),
        ],
      }),
    ]);
    const comments = await rows(`select c.content, m.nickname, c.parent_id is null as top from comments c
      join members m on m.id = c.member_id join imported_records r on r.kind = 'comment' and r.row_id = c.id order by r.key`);
    expect(comments).to.deep.equal([
      { content: 'Comment 1', nickname: 'Bea', top: true },
      { content: 'Comment 2', nickname: 'Bea2', top: false },
      { content: HTML_AS_TEXT, nickname: 'Bea', top: false },
      { content: 'Comment 4', nickname: 'Bea', top: true },
    ]);
  });

  it('stores files of the source once for each author, with the feature image and its alternative text', async () => {
    const [red, blue] = await Promise.all([10, 20].map((side) => flat(700, side).png().toBuffer()));
    const images = [imageFile('../i/red.png', red as Buffer), imageFile('b(1).png', Buffer.from('text'))];
    const content = '![Red](../i/red.png) <img src="../i/red.png"> [file](../i/red.png) ![](b(1).png) `../i/red.png`';
    const image = imageFile('blue', blue as Buffer, 'A blue field');
    const other = sourceArticle('2', { images: [imageFile('same.png', red as Buffer)], content: '![](same.png)' });
    const items = [sourceArticle('1', { content, images, image }), other];
    const report = await importItems(items);
    expect(report.pictures).to.include({ added: 2, existing: 1, failed: 1 });
    const article = await articleWith('title-1');
    const [url] = /http[^)]+webp/.exec(article.content) ?? [];
    expect(article.content).to.equal(`![Red](${url}) <img src="${url}"> [file](${url}) ![](b(1).png) \`../i/red.png\``);
    expect(article).to.include({ articleImgAlt: 'A blue field' });
    expect((await fetch(article.articleImg)).status).to.equal(200);
    expect((await articleWith('title-2')).content).to.equal(`![](${url})`);
    expect(await rows('select unreferenced_at as since from images')).to.deep.equal([{ since: null }, { since: null }]);
    expect((await importItems(items)).pictures.added).to.equal(0);
    expect(await rows('select id from images')).to.have.length(2);
  });

  it('keeps the bytes of an image of an export, and no metadata of any other', async () => {
    const plain = await flat(700, 30).webp().toBuffer();
    const moving = await movingWebp();
    const described = await flat(700, 40)
      .webp()
      .withExif({ IFD0: { Copyright: 'Ann' } })
      .toBuffer();
    const extended = Buffer.concat([plain, Buffer.from('<script>')]);
    const files = { plain, moving, described, extended };
    const images = Object.entries(files).map(([name, bytes]) => imageFile(name, bytes));
    const content = Object.keys(files).map((name) => `![](${name})`);
    expect((await importItems([sourceArticle('1', { content: content.join(' '), images })])).pictures.added).to.equal(
      4,
    );
    const urls = (await articleWith('title-1')).content.match(/http[^)]+/g) as string[];
    const stored = await Promise.all(urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
    const isSame = Object.values(files).map((bytes, index) => stored[index]?.equals(bytes));
    expect(isSame).to.deep.equal([true, true, false, false]);
    expect(stored[2]?.includes('Ann') || stored[3]?.includes('<script>')).to.equal(false);
  });

  it('reports feature images of other hosts that it does not download', async () => {
    const image = { reference: 'https://elsewhere.test/a.png', alt: null, open: null };
    const report = await importItems([sourceArticle('1', { image })]);
    expect(report.counts('reduced')).to.deep.equal({
      'feature images: they are missing without --images, which downloads them': 1,
    });
  });

  it('needs --author where the source names no author, and adds the texts to that member', async () => {
    const items = [sourceArticle('1', { author: null }), sourceArticle('2', { author: null, state: 'DRAFT' })];
    const messageOf = (authorEmail?: string) => importItems(items, { authorEmail }).catch(({ message }) => message);
    expect(await messageOf()).to.equal(
      'it names no author of posts/1.md: add --author EMAIL, with the email of a member of this service',
    );
    expect(await messageOf('none@home.test')).to.equal(
      'no member of this service has the email none@home.test, which --author names',
    );
    const member = await buildMember(app.url, { email: 'Mia@home.test' });
    const report = await importItems(items, { authorEmail: 'mia@home.test' });
    expect(report.added).to.include({ members: 0, articles: 1, drafts: 1 });
    expect((await articleWith('title-1')).memberId).to.equal(member.id);
    expect((await call(app.url, 'GET /api/drafts', member)).body?.data.contents).to.have.length(1);
  });

  it('publishes drafts with the alternative texts of their feature images, unless the image is replaced', async () => {
    const red = await flat(700, 10).png().toBuffer();
    const draft = (key: string) =>
      sourceArticle(key, { author: null, state: 'DRAFT', image: imageFile('red.png', red, 'A red field') });
    const member = await buildMember(app.url);
    const report = await importItems([draft('1'), draft('2')], { authorEmail: member.email });
    expect(report.counts('reduced')).to.deep.equal({});
    const image = await buildImage(app.url, member, 300, 20);
    const { body } = await call(app.url, 'GET /api/drafts', member);
    const alternatives: string[] = [];
    for (const { id, title } of body?.data.contents ?? []) {
      const { token } = member;
      if (title === 'Title 2') await call(app.url, `PATCH /api/drafts/${id}`, { token, json: { imageId: image.id } });
      const published = await call(app.url, `POST /api/drafts/${id}/publish`, { token });
      alternatives.push(`${title}: ${published.body?.data.articleImgAlt}`);
    }
    expect(alternatives.sort()).to.deep.equal(['Title 1: A red field', 'Title 2: null']);
  });

  it('adds nothing twice', async () => {
    const items = [sourceArticle('1', { comments: [sourceComment('1')] }), sourceArticle('2', { state: 'DRAFT' })];
    await importItems(items);
    const before = await countRows(app.database);
    const report = await importItems(items);
    expect(JSON.parse(JSON.stringify(report)).results).to.deep.equal({
      created: 0,
      updated: 0,
      unchanged: 2,
      skipped: 0,
      reduced: 0,
    });
    expect(await countRows(app.database)).to.deep.equal(before);
  });

  it('identifies texts and comments by keys of any length', async () => {
    // Random, since PostgreSQL compresses index entries.
    const long = () => randomBytes(3_000).toString('base64');
    const comments = [sourceComment(long()), sourceComment(long(), { parentKey: 'none' })];
    const items = [sourceArticle(long(), { comments }), sourceArticle(long(), { state: 'DRAFT' })];
    expect((await importItems(items)).added).to.include({ articles: 1, drafts: 1, comments: 2 });
    expect((await importItems(items)).added).to.include({ articles: 0, drafts: 0, comments: 0 });
  });

  it('reports a text with the id of another one', async () => {
    const report = await importItems([
      sourceArticle('1'),
      sourceArticle('1', { place: 'posts/other.md', title: 'Other' }),
      sourceArticle('1', { place: 'posts/third.md', state: 'DRAFT' }),
    ]);
    expect([report.added.articles, report.added.drafts, report.existing.articles]).to.deep.equal([1, 0, 0]);
    expect(report.counts('skipped')).to.deep.equal({
      'posts with the id of an earlier one in the source: they cannot be told apart': 2,
    });
  });

  it('reports names and slugs that it changes', async () => {
    const author = (name: string) => ({ author: { key: name, name, email: null } });
    const report = await importItems([
      sourceArticle('1', author('ann lee')),
      sourceArticle('2', author('Ann Lee')),
      sourceArticle('3', author('관리자')),
      sourceArticle('4', { ...author('x'.repeat(31)), slug: 'x'.repeat(101) }),
    ]);
    expect(report.counts('reduced')).to.deep.equal({
      'names that another member has, that are too long or that are not permitted: now different': 3,
      'slugs shortened to 100 characters': 1,
    });
    expect(`${report}`).to.include('Ann Lee, now Ann Lee2').and.include('관리자, now Member');
  });

  it('finds the files of a content in any normal form, and only those that it still has', async () => {
    const picture = await flat(20, 10).png().toBuffer();
    const name = '그림.png'.normalize('NFD');
    await importItems([
      sourceArticle('1', { content: `![](${name})`, images: [imageFile(name, picture)] }),
      sourceArticle('2', {
        content: `${'x'.repeat(100_000)} ![](cut.png)`,
        images: [imageFile('cut.png', await flat(30, 10).png().toBuffer())],
      }),
    ]);
    expect((await articleWith('title-1')).content).to.match(/^!\[\]\(\S+\/images\/[0-9a-f]{32}\.webp\)$/);
    expect(await rows('select count(*)::int as count from images')).to.deep.equal([{ count: 1 }]);
  });

  it('does not change an article that a moderator has removed', async () => {
    const items = [sourceArticle('1', { content: '[next](https://memory.test/2)' }), sourceArticle('2')];
    await importItems(items);
    const contentOf = () => rows(`select content from all_articles where title = 'Title 1'`);
    const before = await contentOf();
    const [article] = await rowsOf<{ id: number }>(app.database, `select id from articles where title = 'Title 1'`);
    await remove(app, 'article', article?.id ?? 0);
    await importItems(items, { articleUrl: 'https://new.test/{slug}' });
    expect(await contentOf()).to.deep.equal(before);
    await restore(app, 'article', article?.id ?? 0);
    await importItems(items, { articleUrl: 'https://new.test/{slug}' });
    expect(await contentOf()).to.deep.equal([{ content: '[next](https://new.test/title-2)' }]);
  });

  it('skips texts that cannot be identified, and continues', async () => {
    const rejected = sourceArticle('2', { exportKey: 'no UUID' });
    const report = await importItems([sourceArticle(''), rejected, sourceArticle('a\0b'), sourceArticle('1')]);
    expect(report.added.articles).to.equal(2);
    const [first, second] = Object.keys(report.counts('skipped'));
    expect(first).to.equal('posts without an id: they could not be identified in a repeated import');
    expect(second).to.match(/^articles that the database rejected: /);
  });

  it('keeps the time of a change of a comment, and reports times in the future beyond a difference of clocks', async () => {
    const [soon, later] = [5_000, 3_600_000].map((ms) => new Date(Date.now() + ms));
    const comments = [
      sourceComment('1', { createdAt: soon as Date }),
      sourceComment('2', { updatedAt: later as Date }),
      sourceComment('3', { createdAt: null, updatedAt: new Date('2024-01-04T00:00:00Z') }),
    ];
    const report = await importItems([sourceArticle('1', { comments })]);
    expect(report.counts('reduced')).to.deep.equal({
      'comments with a date in the future: set to the time of the import': 1,
      'comments without a date: set to the date of the article': 1,
    });
    const changed = await rows(`select updated_at > created_at as later, updated_at > now() as future from comments
      order by content`);
    expect(changed).to.deep.equal([
      { later: false, future: false },
      { later: true, future: false },
      { later: true, future: false },
    ]);
  });

  it('lists each item with its result, its place and the reasons', async () => {
    const reduced = [{ reason: 'cards that are not text', detail: 'gallery', count: 2 }];
    const report = await importItems([
      sourceArticle('1', { reduced, comments: [sourceComment('1', { leftOut: 'comments marked as spam' })] }),
      { kind: 'left out', place: 'pages/about.md', reason: 'pages: only posts become articles' },
    ]);
    const { items, results, source } = JSON.parse(JSON.stringify(report));
    expect(source).to.deep.equal({ product: 'Memory', origin: 'memory.test' });
    expect(results).to.deep.equal({ created: 1, updated: 0, unchanged: 0, skipped: 1, reduced: 1 });
    expect(items).to.deep.equal([
      {
        place: 'posts/1.md',
        title: 'Title 1',
        result: 'created',
        reduced: [{ ...reduced[0], examples: ['posts/1.md "Title 1" gallery'], detail: undefined }].map(
          ({ reason, count, examples }) => ({ reason, count, examples }),
        ),
        skipped: [{ reason: 'comments marked as spam', count: 1, examples: ['comment 1'] }],
      },
      {
        place: 'pages/about.md',
        result: 'skipped',
        skipped: [{ reason: 'pages: only posts become articles', count: 1, examples: ['pages/about.md'] }],
      },
    ]);
    expect(`${report}`).to.match(/\nReduced:\n +2 {2}cards that are not text\n +posts\/1\.md "Title 1" gallery\n/);
    expect(`${report}`).to.include('1 created, 0 updated, 0 unchanged, 1 skipped; 1 of them reduced');
  });
});

describe('import --strict', () => {
  beforeEach(testDatabase);

  it('exits with 1 if anything was skipped or reduced, and with 0 otherwise', async () => {
    const codeOf = async (...items: string[]) => {
      const connect = async () => ({ database: app.database, close: async () => {} });
      const output = { write: () => true };
      const path = await fileOf(HEAD + items.join('') + FOOT);
      return runImport(path, { connect, stdout: output, stderr: output, isStrict: true });
    };
    expect(await codeOf(item(1, { xml: comment(1) }))).to.equal(0);
    expect(await codeOf(item(2, { title: 'x'.repeat(101) }))).to.equal(1);
    expect(await codeOf(item(3).replace('>publish<', '>trash<'))).to.equal(1);
  });
});

describe('import --dry-run', () => {
  beforeEach(testDatabase);

  /** All rows, and the last id of each sequence. */
  const state = async () => [
    await countRows(app.database),
    await rows(`select sequencename, last_value from pg_sequences where schemaname = current_schema() order by 1`),
    await rows('select count(*) from images'),
  ];

  /** The report of a dry run is that of the import after it, except for the mark of a dry run. */
  async function expectSame(run: (options: LoadOptions) => Promise<Report>): Promise<void> {
    const before = await state();
    // Which examples are kept depends on the order in which references are processed.
    const toPlain = (report: Report) =>
      JSON.parse(JSON.stringify(report, (name, value) => (name === 'examples' ? undefined : value)));
    const dry = toPlain(await run({ isDryRun: true }));
    expect(await state()).to.deep.equal(before);
    const real = toPlain(await run({}));
    expect(dry).to.deep.equal({ ...real, dryRun: true });
  }

  it('reports the same for a whole export, for a second one, and for a later one with more', async () => {
    await expectSame((options) => load(app.database, EXPORT, options));
    await expectSame((options) => load(app.database, EXPORT, options));
    const whole = (await readFile(EXPORT, 'utf8')).replace(
      '</channel>',
      `${item(9001, { xml: comment(9001) })}${item(9001)}</channel>`,
    );
    const later = await fileOf(whole);
    await expectSame((options) => load(app.database, later, options));
  });

  it('reports the same limits of categories and drafts, slugs, links and galleries', async () => {
    const category = (id: number) => `<category domain="category">Shelf ${id % 23}</category>`;
    const link = (id: number) => `&lt;a href="https://made.example/?p=${id + 1}"&gt;next&lt;/a&gt; [gallery]`;
    const post = (id: number, status: string) =>
      item(id, {
        content: link(id),
        xml: `${category(id)}<link>https://made.example/?p=${id}</link><wp:post_name>same</wp:post_name>`,
      }).replace('>publish<', `>${status}<`);
    const states = ['publish', 'draft', 'private', 'draft'];
    const posts = Array.from({ length: 30 }, (_, index) => post(index + 1, states[index % 4] ?? ''));
    const path = await fileOf(HEAD + posts.join('') + FOOT);
    await load(app.database, await fileOf(HEAD + post(500, 'draft') + FOOT));
    await app.database.sequelize.query('update draft_counts set drafts = 190');
    await expectSame((options) => load(app.database, path, { articleUrl: 'https://new.example/{slug}', ...options }));
  });

  it('reports the same names that are taken', async () => {
    await buildMember(app.url, { nickname: 'Ann Lee' });
    const items = ['Ann Lee', 'ann lee', 'ANN LEE', 'Bob', 'Bo b'].map((name, index) =>
      sourceArticle(`${index}`, { author: { key: name, name, email: null } }),
    );
    await expectSame((options) => importItems(items, options));
  });

  it('reads files of the source, and stores none', async () => {
    const red = await flat(700, 10).png().toBuffer();
    const items = [
      sourceArticle('1', {
        content: '![](a.png) ![](b.png)',
        images: [imageFile('a.png', red), imageFile('b.png', Buffer.alloc(9))],
      }),
      sourceArticle('2', { image: imageFile('c', red, 'Red'), state: 'DRAFT' }),
    ];
    await expectSame((options) => importItems(items, options));
  });

  it('says so in the text and in the file', async () => {
    const reportPath = join(await makeFolder(), 'report.json');
    const connect = async () => ({ database: app.database, close: async () => {} });
    let text = '';
    const output = { write: (line: string) => (text += line) };
    await runImport(EXPORT, { connect, stdout: output, stderr: output, isDryRun: true, reportPath });
    expect(text).to.match(/\nNothing was written: this was a dry run\.\n$/);
    expect(JSON.parse(await readFile(reportPath, 'utf8'))).to.include({ dryRun: true });
  });
});
