/** The exports of Ghost, Medium and Hashnode in the journal, as clients read it; each in one run and in a repeated one. */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import yazl from 'yazl';
import { runImport } from '../../src/cli/import/run.js';
import { useApp } from '../support/app.js';
import { buildMember } from '../support/build.js';
import { call, graphql } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { flat } from '../support/images.js';
import { sample } from '../support/import-sources.js';
import { countRows, rowsOf } from '../support/imported.js';

const app = useApp();
beforeEach(() => testDatabase());

async function run(path: string, authorEmail?: string) {
  const result = { code: -1, stdout: '', stderr: '' };
  result.code = await runImport(path, {
    connect: async () => ({ database: app.database, close: async () => {} }),
    openPictures: async () => ({ images: app.services.images, publicUrl: app.url }),
    downloads: false,
    authorEmail,
    articleUrl: 'https://pages.example/{slug}',
    stdout: { write: (text: string) => (result.stdout += text) },
    stderr: { write: (text: string) => (result.stderr += text) },
  });
  return result;
}

/** @returns the report of the second run, which adds nothing */
async function runTwice(path: string, authorEmail?: string): Promise<string> {
  const first = await run(path, authorEmail);
  expect(first.code, first.stderr + first.stdout).to.equal(0);
  const counts = await countRows(app.database);
  const second = await run(path, authorEmail);
  expect(second.code).to.equal(0);
  expect(await countRows(app.database)).to.deep.equal(counts);
  return first.stdout;
}

async function articles(): Promise<Map<string, Record<string, unknown>>> {
  const { body } = await call(app.url, 'GET /api/articles?page=1&size=50');
  const bySlug = await Promise.all(
    body?.data.contents.map(async ({ slug }: { slug: string }) => {
      const found = await call(app.url, `GET /api/articles/by-slug/${encodeURIComponent(slug)}`);
      return [slug, found.body?.data] as const;
    }),
  );
  return new Map(bySlug);
}

/** Titles of drafts and private articles with their state, in the database: their authors cannot log in. */
const hidden = () =>
  rowsOf<{ title: string; state: string }>(
    app.database,
    `select title, 'private' as state from all_articles where is_private
     union all select title, case when publish_at is null then 'draft' else 'scheduled' end from drafts order by 2, 1`,
  ).then((rows) => rows.map(({ title, state }) => `${state}: ${title}`));

describe('Import of other products', () => {
  it('has the articles of Ghost with comments, images and links, and its member posts as private articles', async () => {
    const archive = join(await makeFolder(), 'backup');
    const zip = new yazl.ZipFile();
    zip.addBuffer(await readFile(sample('ghost/export.json')), 'blog/data.json');
    zip.addBuffer(await flat(20, 10).png().toBuffer(), 'blog/content/images/2023/02/owl.png');
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(archive));

    const report = await runTwice(archive);
    const owls = (await articles()).get('owls');
    expect(owls).to.deep.include({ title: 'Owls & others', author: 'Ann Ghost', tags: ['night', 'birds'] });
    expect([owls?.createdAt, owls?.updatedAt]).to.deep.equal(['2023-02-03T04:05:06', '2023-03-04T05:06:07']);
    expect(owls?.articleImg).to.match(/\/images\/[\w-]+\.\w+$/);
    const content = String(owls?.content);
    expect(content).to.include('see [the fog](/fog/)').and.not.include('/content/images/');
    expect(content).to.match(/!\[An owl \\\[grey\\\]\]\(\S+\/images\/\S+\)/);
    const { data } = await graphql(
      app.url,
      `{ comments(articleId: ${owls?.id}, size: 5) { contents { content author { nickname } replies { content } } } }`,
    );
    expect(data.comments.contents).to.deep.equal([
      { content: 'One owl?', author: { nickname: 'Bea' }, replies: [{ content: 'No, two.' }] },
    ]);
    expect(await hidden()).to.deep.equal([
      'draft: Half written',
      'draft: Lexical only',
      'draft: Tomorrow, for members',
      'private: For the newsletter',
      'private: 안개',
      'scheduled: Tomorrow',
    ]);
    for (const reason of [
      'posts for paid: private',
      'pages: only posts',
      'internal tags',
      'comments that were hidden',
    ]) {
      expect(report).to.include(reason);
    }
  });

  it('has the stories of Medium with links between them', async () => {
    const report = await runTwice(sample('medium'));
    const found = await articles();
    expect([...found.keys()]).to.have.members(['the-attic-the-owl', '안개']);
    expect(found.get('the-attic-the-owl')).to.deep.include({ author: 'Ann Medium', tags: ['owls', 'night'] });
    expect(found.get('the-attic-the-owl')?.content).to.include('[another](https://pages.example/%EC%95%88%EA%B0%9C)');
    expect(await hidden()).to.deep.equal(['draft: Half a story']);
    expect(report).to.include('responses to other posts').and.include('embedded pages and media: now links');
  });

  it('has the posts of Hashnode, as articles of the named author', async () => {
    const { email, nickname } = await buildMember(app.url);
    const report = await runTwice(sample('hashnode.json'), email);
    const found = await articles();
    expect(found.get('reading-logs')).to.include({ author: nickname, updatedAt: '2025-05-13T08:00:00' });
    expect(found.get('writing-logs')).to.deep.include({ author: 'Ann Hash', tags: ['logging'] });
    expect(report).to.include('tags: the export has their ids').and.include('posts that were deleted in Hashnode');
  });

  it('ends where an export is truncated, and keeps what was before', async () => {
    const folder = await makeFolder();
    const text = await readFile(sample('hashnode.json'), 'utf8');
    const path = join(folder, 'cut.json');
    await pipeline([text.slice(0, text.indexOf('"Deleted"'))], createWriteStream(path));
    const { email } = await buildMember(app.url);
    const { code, stderr } = await run(path, email);
    expect(code).to.equal(1);
    expect(stderr).to.include('"cut.json" was not imported to its end: the file is truncated');
    expect([...(await articles()).keys()]).to.have.members(['reading-logs', 'writing-logs']);
  });
});
