/** The import of Markdown folders with the command: articles, drafts, images and the report, seen over HTTP. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { ROOT, runDaybook, withoutProgress } from '../../support/cli.js';
import { call, graphql } from '../../support/client.js';
import { testDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { countRows } from '../../support/imported.js';
import { zipOf } from '../../support/zip.js';

const app = useApp();
const SAMPLES = `${ROOT}test/data/markdown/`;

function importAs({ email }: BuiltMember, sample: string, ...options: string[]) {
  const { TEST_DATABASE_URL: DATABASE_URL = '' } = process.env;
  const environment = { DATABASE_URL, DATA_DIR: app.dataDir, PUBLIC_URL: 'https://journal.test' };
  return runDaybook(['import', '--author', email, ...options, resolve(SAMPLES, sample)], environment);
}

async function htmlOf(id: number): Promise<string> {
  const { data } = await graphql(app.url, `{ article(id: ${id}) { contentHtml } }`);
  return data.article.contentHtml;
}

describe('daybook import with Markdown', () => {
  let mina: BuiltMember;
  beforeEach(async () => {
    await testDatabase();
    mina = await buildMember(app.url, { nickname: 'mina' });
  });

  it('writes the articles of a Hugo site with their images', async () => {
    const { code, stdout, stderr } = await importAs(mina, 'hugo');
    expect([code, withoutProgress(stderr)]).to.deep.equal([0, '']);
    expect(stdout).to.match(/shortcodes of Hugo without a counterpart: they stay as text/);
    const { body } = await call(app.url, 'GET /api/articles/by-slug/attic-owl');
    const { id, title, category, tags, createdAt, updatedAt, articleImg } = body?.data ?? {};
    const contentHtml = await htmlOf(id);
    expect({ title, category, tags, createdAt, updatedAt }).to.deep.equal({
      title: 'An owl: in the "attic"',
      category: 'Birds',
      tags: ['owl', '1.10', 'attic', 'nights'],
      createdAt: '2020-01-01T18:04:05',
      updatedAt: '2020-02-03T00:00:00',
    });
    expect(articleImg).to.match(/\/images\/[0-9a-f]{32}\.webp$/);
    expect(contentHtml).to.match(/<img [^>]*src="[^"]*\/images\/[0-9a-f]{32}\.webp"[^>]*alt="An owl on a beam"/);
    expect(contentHtml).to.match(/<figure><img [^>]*src="[^"]*\/images\/[0-9a-f]{32}\.webp"[^>]*alt="A beam"/);
    const key = /([0-9a-f]{32}\.webp)$/.exec(articleImg)?.[1] ?? '';
    expect((await fetch(`${app.url}/images/${key}`)).status).to.equal(200);
    const { data } = await graphql(app.url, '{ articles { contents { title } } }');
    expect(data.articles.contents).to.deep.equal([{ title: 'An owl: in the "attic"' }]);
  });

  it('writes notes of Obsidian with their tags for the given author', async () => {
    expect((await importAs(mina, 'vault')).code).to.equal(0);
    const { body } = await call(app.url, `GET /api/articles/by-slug/${encodeURIComponent('산책-일기')}`);
    expect(body?.data?.author).to.equal('mina');
    expect(body?.data?.tags).to.deep.equal(['walk', 'birds/owl', 'new-tag']);
    expect(await htmlOf(body?.data?.id)).to.match(/\/images\/[0-9a-f]{32}\.webp/);
  });

  it('adds nothing when it is repeated', async () => {
    await importAs(mina, 'jekyll');
    const before = await countRows(app.database);
    expect(before.drafts).to.equal(2);
    expect((await importAs(mina, 'jekyll')).code).to.equal(0);
    expect(await countRows(app.database)).to.deep.equal(before);
  });

  it('reports the same in a dry run, which writes nothing', async () => {
    const folder = await makeFolder();
    const before = await countRows(app.database);
    const dry = await importAs(mina, 'hugo', '--dry-run', '--report', join(folder, 'dry.json'));
    expect(await countRows(app.database)).to.deep.equal(before);
    const real = await importAs(mina, 'hugo', '--report', join(folder, 'real.json'));
    expect([dry.code, real.code]).to.deep.equal([0, 0]);
    const [first, second] = await Promise.all(
      ['dry.json', 'real.json'].map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
    );
    expect(first.reduced).to.deep.equal(second.reduced);
    expect(first.skipped).to.deep.equal(second.skipped);
    expect(JSON.stringify(second.reduced)).to.include('content/posts/owl/index.md');
    expect(JSON.stringify(second.skipped)).to.include('content/about.md');
  });

  it('reports the links and unsafe paths of an archive', async () => {
    const path = join(await makeFolder(), 'vault.zip');
    const files = [
      { name: 'link.md', content: '/etc/hostname', attributes: 0o120777 << 16 },
      { name: '../outside.md', content: 'x' },
      { name: 'note.md', content: 'An owl.' },
    ];
    await writeFile(path, zipOf(files));
    const { code, stdout } = await importAs(mina, path);
    expect(code).to.equal(0);
    expect(stdout).to.match(/symbolic links\n\s+link\.md/);
    expect(stdout).to.match(/files with a path that leads out of the folder or is invalid\n\s+\.\.\/outside\.md/);
    expect(await countRows(app.database)).to.include({ all_articles: 1, drafts: 0 });
  });

  it('exits with 1 with --strict, since something was reduced', async () => {
    expect((await importAs(mina, 'hugo', '--strict')).code).to.equal(1);
  });
});
