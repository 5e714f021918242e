/** The import of an export of this service, as clients see it. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runImport } from '../../src/cli/import/run.js';
import { useApp } from '../support/app.js';
import { buildArticle, buildImage, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { truncateAll } from '../support/database.js';
import { buildDraft } from '../support/drafts.js';
import { buildJournal, runExport } from '../support/exported.js';
import { makeFolder } from '../support/folder.js';
import { rowsOf } from '../support/imported.js';
import { exportMarkdown, jsonOf } from '../support/markdown-folder.js';

const app = useApp();

async function run(path: string, isDryRun = false) {
  const result = { code: -1, stdout: '', stderr: '' };
  result.code = await runImport(path, {
    connect: async () => ({ database: app.database, close: async () => {} }),
    openPictures: async () => ({ images: app.services.images, publicUrl: app.url }),
    downloads: false,
    isDryRun,
    stdout: { write: (text: string) => (result.stdout += text) },
    stderr: { write: (text: string) => (result.stderr += text) },
  });
  return result;
}

describe('The import of the archive of a member', () => {
  it('keeps contents, private articles, images and series, and names what it does not import', async () => {
    await truncateAll(app.database);
    const mina = await buildMember(app.url, { nickname: 'mina' });
    const { key } = await buildImage(app.url, mina);
    const content = `> [!note] Eggs\n> are blue\n\n{{< youtube abc >}} and [[nest]]\n\n![a](/images/${key}.webp)\n`;
    const { id } = await buildArticle(app.url, { title: 'Eggs', content, tags: ['..', 'eggs'] }, mina);
    await call(app.url, 'POST /api/series', { token: mina.token, json: { title: 'Coast', articleIds: [id] } });
    await buildArticle(app.url, { title: 'Diary', content: 'A nest.', visibility: 'PRIVATE' }, mina);
    await buildDraft(app.url, { title: 'Unfinished', content: 'An egg.' }, mina);
    const path = join(await makeFolder(), 'archive.zip');
    expect((await runExport(app, '--member', mina.email, '--output', path)).code).to.equal(0);
    await truncateAll(app.database);
    const dry = await run(path, true);
    const { code, stdout } = await run(path);
    expect([code, dry.stdout.replace('Nothing was written: this was a dry run.\n', '')]).to.deep.equal([0, stdout]);
    expect(stdout).to.match(/1 {2}comments on articles that are not in the source\n +comments\.json\n/);
    expect(stdout).to.match(
      / {2}files in the archive of a member that are neither articles nor drafts\n +api-tokens\.json\n/,
    );
    expect(stdout).to.match(/\nRead as an export of Daybook or the archive of a member, since it has profile\.json: /);
    const texts = await rowsOf(
      app.database,
      `select a.title, regexp_replace(content, '[(][^(]*[0-9a-f]{32}', '(/images/KEY') as content, is_private, a.description, s.title as series,
         array(select t.name from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = a.id order by x.position)::text[] as tags
       from all_articles a left join series s on s.id = a.series_id union all
       select title, content, null, description, null, tags from drafts order by title`,
    );
    expect(texts.map(Object.values)).to.deep.equal([
      ['Diary', 'A nest.', true, null, null, []],
      ['Eggs', content.replace(key, 'KEY'), false, null, 'Coast', ['..', 'eggs']],
      ['Unfinished', 'An egg.', null, null, null, []],
    ]);
    expect(stdout).to.match(/\npictures +1 +0\n/);
    expect((await run(path)).stdout).to.match(/\narticles +0 +2\ndrafts +0 +1\n/);
  });
});

describe('The import of an export of Daybook', () => {
  beforeEach(() => truncateAll(app.database));

  it('restores profiles with their images, and a dry run counts the same', async () => {
    await buildJournal(app);
    const { folder, files } = await exportMarkdown(app, '--all');
    await truncateAll(app.database);
    const dry = await run(folder, true);
    const real = await run(folder);
    expect([dry.code, real.code, real.stderr]).to.deep.equal([0, 0, '']);
    expect(dry.stdout.replace('Nothing was written: this was a dry run.\n', '')).to.equal(real.stdout);
    expect(real.stdout).to.match(/\npictures +1 +0\n/);
    const { body } = await call(app.url, 'GET /api/members/by-nickname/mina');
    expect(body?.data).to.include({ nickname: 'mina', bio: 'Keeps a light.' });
    const [{ image }] = jsonOf<[{ image: string }]>(files, 'members.json');
    const stored = await fetch(body?.data.profileImg);
    expect(Buffer.from(await stored.arrayBuffer()).equals(files.get(image) as Buffer)).to.equal(true);
    expect((await run(folder)).stdout).to.match(/\npictures +0 +1\n/);
  });

  it('adds no comment twice whose author has another name later, has withdrawn, or has deleted it', async () => {
    await buildJournal(app);
    const { folder, files } = await exportMarkdown(app, '--all');
    await truncateAll(app.database);
    await run(folder);
    const path = [...files.keys()].find((name) => name.startsWith('comments/')) as string;
    const [{ author, content, ...rest }] = jsonOf<[Record<string, unknown>]>(files, path);
    for (const now of [{ author: 'theodor', content }, { author: null, content }, { deleted: true }]) {
      await writeFile(join(folder, path), JSON.stringify([{ ...now, ...rest }]));
      expect((await run(folder)).stdout, JSON.stringify(now)).to.match(/\ncomments +0 +2\n/);
    }
    expect([author, content]).to.deep.equal(['theo', 'It blinks.']);
  });

  it('keeps the former slugs of articles, and reports those that another article has', async () => {
    const mina = await buildMember(app.url, { nickname: 'mina' });
    const json = { title: 'Owls', content: 'An owl.' };
    const { id } = await buildArticle(app.url, json, mina);
    for (const slug of ['night-owls', 'barn-owls'])
      await call(app.url, `PUT /api/articles/${id}`, { token: mina.token, json: { ...json, slug } });
    const { folder, files } = await exportMarkdown(app);
    const path = [...files.keys()].find((name) => name.endsWith('-barn-owls.md')) ?? '';
    expect(files.get(path)?.toString()).to.include('slug: "barn-owls"\naliases:\n  - "night-owls"\n  - "owls"\n');
    await truncateAll(app.database);
    await buildArticle(app.url, { title: 'Owls' });
    const dry = await run(folder, true);
    const { stdout } = await run(folder);
    expect(dry.stdout.replace('Nothing was written: this was a dry run.\n', '')).to.equal(stdout);
    expect(stdout).to.match(
      / 1 {2}former slugs that another article has: they do not lead to this one\n.* with owls\n/,
    );
    for (const [slug, title] of [
      ['night-owls', 'Owls of mina'],
      ['owls', 'Owls of another member'],
    ] as const) {
      const { body } = await call(app.url, `GET /api/articles/by-slug/${slug}`);
      const name = body?.data.author === 'mina' ? 'mina' : 'another member';
      expect(`${body?.data.title} of ${name}`).to.equal(title);
    }
  });

  it('reports the image of a profile that is not in the folder', async () => {
    await buildJournal(app);
    const { folder, files } = await exportMarkdown(app, '--all');
    await truncateAll(app.database);
    const [{ image }] = jsonOf<[{ image: string }]>(files, 'members.json');
    await rm(join(folder, image));
    for (const { stdout } of [await run(folder, true), await run(folder)])
      expect(stdout).to.match(
        /1 {2}pictures that could not be stored: it is not in the source\n +image of a profile: images/,
      );
  });

  it('adds nothing twice when an article is in another folder later, and comments when their file is repaired', async () => {
    await buildJournal(app);
    const { folder, files } = await exportMarkdown(app, '--all');
    await truncateAll(app.database);
    const comments = [...files.keys()].find((path) => path.startsWith('comments/')) as string;
    await writeFile(join(folder, comments), '[');
    expect((await run(folder)).stdout).to.match(/1 {2}comments in files that cannot be read\n/);
    await writeFile(join(folder, comments), files.get(comments) as Buffer);
    const text = comments.replace(/^comments\/(.*)json$/, '$1md');
    await rename(join(folder, 'articles', text), join(folder, 'private', text));
    const repaired = (await run(folder)).stdout;
    expect(repaired).to.match(/\narticles +0 +1\n/);
    expect(repaired).to.match(/\ncomments +2 +0\n/);
  });

  it('adds nothing twice when the name of a file has changed, and keeps the key of the text', async () => {
    await buildJournal(app);
    const { folder, files } = await exportMarkdown(app, '--all');
    await truncateAll(app.database);
    await run(folder);
    const comments = [...files.keys()].find((path) => path.startsWith('comments/')) as string;
    const text = comments.replace(/^comments\/(.*)json$/, 'articles/$1md');
    await rename(join(folder, comments), join(folder, 'comments/renamed.json'));
    await rename(join(folder, text), join(folder, 'articles/renamed.md'));
    const renamed = (await run(folder)).stdout;
    expect(renamed).to.match(/\narticles +0 +1\n/);
    expect(renamed).to.match(/\ncomments +0 +2\n/);
    const again = await exportMarkdown(app, '--all');
    expect(again.files.get(text)?.toString()).to.equal(files.get(text)?.toString());
    expect(files.get(text)?.toString()).to.match(/\nkey: "[\da-f-]{36}"\n---\n/);
  });
});
