/** `daybook export --markdown`: the journal as a folder of Markdown files, images and comments. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type MarkdownExport, writeMarkdown } from '../../../src/cli/export/markdown.js';
import { inSnapshot } from '../../../src/export/snapshot.js';
import { useApp } from '../../support/app.js';
import {
  type BuiltImage,
  type BuiltMember,
  buildArticle,
  buildComment,
  buildImage,
  buildMember,
} from '../../support/build.js';
import { runDaybook } from '../../support/cli.js';
import { call, expectStatus } from '../../support/client.js';
import { buildDraft } from '../../support/drafts.js';
import { runExport } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { flat } from '../../support/images.js';
import { rowsOf } from '../../support/imported.js';
import { exportMarkdown, type Files, jsonOf, readFiles, textsOf } from '../../support/markdown-folder.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { remove, restore } from '../../support/removal.js';
import { setPrivate } from '../../support/visibility.js';

const HASH_NAME = /^images\/[0-9a-f]{64}\.webp$/;

interface ExportedComment {
  author?: string | null;
  content?: string;
  hidden?: boolean;
  deleted?: boolean;
  createdAt: string;
  updatedAt: string;
  replies?: ExportedComment[];
}

const app = useApp();
const TODAY = () => new Date().toISOString().slice(0, 10);

describe('daybook export --markdown', function () {
  this.timeout(120_000);
  let mina: BuiltMember;
  let theo: BuiltMember;
  let photo: BuiltImage;
  /** The path of the photo, and of its size of 320 pixels, from a text. */
  let photoPath: string;
  let smallPath: string;
  let date: string;
  let files: Files;
  let everything: Files;

  const pathOfStored = async (name: string) => {
    const bytes = await readFile(join(app.dataDir, 'images', name));
    return `../images/${createHash('sha256').update(bytes).digest('hex')}.webp`;
  };

  before(async () => {
    date = TODAY();
    mina = await buildMember(app.url, { nickname: 'mina', memberName: 'Privately Named', email: 'mina@private.test' });
    theo = await buildMember(app.url, { nickname: 'theo' });
    const { token } = mina;
    const bio = requestPart({ bio: 'Keeps a light.' });
    await call(app.url, 'PATCH /api/members/me', {
      token,
      ...multipart([bio, filePart(await flat(20, 10).png().toBuffer())]),
    });
    await call(app.url, 'POST /api/categories', { token, json: { categoryName: '바다' } });
    photo = await buildImage(app.url, mina, 400, 30);
    photoPath = await pathOfStored(`${photo.key}.webp`);
    smallPath = await pathOfStored(`${photo.key}-320.webp`);
    const request = requestPart({
      title: '등대: a "light" 🗼',
      content: CONTENT(photo.key),
      category: '바다',
      tags: ['no', '빛'],
      articleImgAlt: 'A lamp: "lit"',
    });
    const feature = filePart(await flat(30, 20, '#00ff00').png().toBuffer());
    const { body } = await call(app.url, 'POST /api/articles', { token, ...multipart([request, feature]) });
    const id = Number(body?.data.id);
    const first = await buildComment(app.url, id, { content: 'It blinks.' }, theo);
    await buildComment(app.url, id, { content: 'Twice.', parentCommentId: first.id }, mina);
    const second = await buildComment(app.url, id, { content: 'A secret.' }, theo);
    await expectStatus(
      call(app.url, `PUT /api/comments/${second.id}/hidden`, { token, json: { hidden: true } }),
      200,
      '1',
    );
    const guest = await buildMember(app.url, { nickname: 'guest' });
    const deleted = await buildComment(app.url, id, { content: 'Oops.' }, guest);
    await buildComment(app.url, id, { content: 'What was it?', parentCommentId: deleted.id }, guest);
    await call(app.url, `DELETE /api/comments/${deleted.id}`, { token: guest.token });
    await call(app.url, 'DELETE /api/members/me', { token: guest.token, json: { password: guest.password } });
    // Blocks are no concern of the operator.
    await expectStatus(call(app.url, `PUT /api/members/${theo.id}/block`, { token }), 200, '1');
    const diary = await buildArticle(app.url, { title: 'Diary', content: 'Fog.', visibility: 'PRIVATE' }, mina);
    await buildComment(app.url, diary.id, { content: 'Note to self.' }, mina);
    await buildDraft(app.url, { title: '', content: `![lamp](${photo.url})`, tags: ['sea'], imageId: photo.id }, mina);
    ({ files } = await exportMarkdown(app));
    ({ files: everything } = await exportMarkdown(app, '--all'));
  });

  it('writes public articles with their images, comments and members, and nothing else', () => {
    const article = `${date}-등대-a-light`;
    const paths = [...files.keys()].filter((path) => !path.startsWith('images/'));
    expect(paths).to.deep.equal([
      `articles/${article}.md`,
      'articles/articles.json',
      `comments/${article}.json`,
      'daybook-export.json',
      'members.json',
    ]);
    expect(jsonOf(files, 'daybook-export.json')).to.deep.equal({ format: 1, url: 'https://journal.test', all: false });
    const images = [...files].filter(([path]) => path.startsWith('images/'));
    // The profile image, the feature image, and the photo in two sizes.
    expect(images).to.have.lengthOf(4);
    for (const [path, bytes] of images) {
      expect(path).to.match(HASH_NAME).and.contain(createHash('sha256').update(bytes).digest('hex'));
      expect(bytes.subarray(8, 12).toString()).to.equal('WEBP');
    }
  });

  it('writes front matter that gray-matter reads back equally, with the alternative text of the image', async () => {
    const [text] = textsOf(files).values();
    const { body } = await call(app.url, 'GET /api/articles');
    const [article] = body?.data.contents ?? [];
    const { date: created, lastmod, image, key, ...strings } = text?.data ?? {};
    expect(strings).to.deep.equal({
      title: '등대: a "light" 🗼',
      slug: '등대-a-light',
      author: 'mina',
      categories: ['바다'],
      tags: ['no', '빛'],
      description: article.excerpt,
      imageAlt: 'A lamp: "lit"',
      draft: false,
    });
    expect(key).to.match(/^[\da-f-]{36}$/);
    expect([created, lastmod]).to.deep.equal([new Date(`${article.createdAt}Z`), new Date(`${article.updatedAt}Z`)]);
    expect(image).to.equal(await pathOfStored(article.articleImg.split('/').at(-1)));
  });

  it('replaces each reference to an image by a relative link, with its alternative text', () => {
    const [text] = textsOf(files).values();
    expect(text?.content).to.equal(
      [
        `![a *lamp*](${photoPath} "Title") and [large](<${photoPath}>)`,
        `<img src="${photoPath}" srcset="${smallPath} 320w, ${photoPath} 400w" alt="x"> <a href='${photoPath}'>y</a>`,
        '![ref]',
        `[ref]: ${photoPath}`,
        '![other](https://other.test/a.webp) ../images/x',
      ].join('\n\n'),
    );
    for (const path of [photoPath, smallPath]) expect(files.has(path.slice('../'.length))).to.equal(true);
  });

  it('writes comments with authors, replies, times and states, as everyone sees them', () => {
    const [first, second, third] = jsonOf<ExportedComment[]>(files, `comments/${date}-등대-a-light.json`);
    expect(first).to.include({ author: 'theo', content: 'It blinks.' });
    expect(first?.replies?.[0]).to.include({ author: 'mina', content: 'Twice.' });
    expect(first?.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(second).to.include({ author: 'theo', content: '(hidden)', hidden: true });
    expect(third).to.have.all.keys('deleted', 'createdAt', 'updatedAt', 'replies');
    expect(third?.replies?.[0]).to.include({ author: null, content: 'What was it?' });
  });

  it('writes public profiles without private data', () => {
    const members = jsonOf<Record<string, unknown>[]>(files, 'members.json');
    expect(members.map(({ nickname, bio }) => [nickname, bio])).to.deep.equal([
      ['mina', 'Keeps a light.'],
      ['theo', ''],
    ]);
    expect(members[0]).to.have.all.keys('nickname', 'bio', 'image', 'createdAt');
    expect(members[0]?.image).to.match(HASH_NAME);
    expect(files.has(String(members[0]?.image))).to.equal(true);
    const text = [...files.values()].map(String).join('\n');
    for (const secret of ['private.test', 'Privately', 'A secret.', 'Diary', 'Note to self']) {
      expect(text).to.not.contain(secret);
    }
  });

  it('adds private articles, drafts and hidden comments with --all, for its owner only', async () => {
    const { folder } = await exportMarkdown(app, '--all');
    const added = [...everything.keys()].filter((path) => !files.has(path));
    expect(added).to.deep.equal([
      `comments/${date}-diary.json`,
      `drafts/${date}-article.md`,
      'drafts/drafts.json',
      `private/${date}-diary.md`,
      'private/private.json',
    ]);
    for (const path of files.keys()) {
      if (!/^comments|^daybook/.test(path))
        expect(everything.get(path)?.equals(files.get(path) as Buffer)).to.equal(true);
    }
    const [diary] = textsOf(everything, 'private').values();
    expect(diary?.data).to.include({ title: 'Diary', author: 'mina', draft: true });
    const [draft] = textsOf(everything, 'drafts').values();
    expect(draft?.content).to.equal(`![lamp](${photoPath})`);
    expect(draft?.data).to.deep.include({ title: '', tags: ['sea'], image: photoPath, draft: true });
    const comments = jsonOf<ExportedComment[]>(everything, `comments/${date}-등대-a-light.json`);
    expect(comments[1]).to.include({ content: 'A secret.', hidden: true });
    const modes = await Promise.all(['.', 'private', 'members.json'].map((path) => stat(join(folder, path))));
    expect(modes.map(({ mode }) => mode & 0o777)).to.deep.equal([0o700, 0o700, 0o600]);
  });

  it('writes the same bytes for the same journal', async () => {
    const again = await exportMarkdown(app, '--all');
    expect([...again.files]).to.deep.equal([...everything]);
    expect(again.stderr).to.equal(`Exported 2 members, 3 texts and 6 comments to ${again.folder}.\n`);
  });

  it('contains no content that a moderator has removed, also with --all', async () => {
    const ids = await rowsOf<{ id: number }>(app.database, 'select id from comments where deleted_at is null');
    const [diary] = await rowsOf<{ id: number }>(app.database, "select id from all_articles where title = 'Diary'");
    for (const { id } of ids) await remove(app, 'comment', id);
    await remove(app, 'article', diary?.id ?? 0);
    const { files: left, stderr } = await exportMarkdown(app, '--all');
    expect(stderr).to.match(
      /\nNot exported: 1 article that a moderator has removed, with all comments; the content of 4 comments that a moderator has removed\.\n$/,
    );
    expect([...left.keys()].filter((path) => path.includes('diary'))).to.deep.equal([]);
    const comments = jsonOf<ExportedComment[]>(left, `comments/${date}-등대-a-light.json`);
    const contents = comments.flatMap((one) => [one, ...(one.replies ?? [])]).flatMap(({ content }) => content ?? []);
    expect(new Set(contents)).to.deep.equal(new Set(['(removed)']));
    for (const { id } of ids) await restore(app, 'comment', id);
    await restore(app, 'article', diary?.id ?? 0);
  });

  it('numbers equal names, and cuts long ones at a character', async () => {
    const [long, other] = ['ß', 'ss'].map((letters) => `${'길'.repeat(60)}${letters}`);
    const builts = [];
    for (const title of ['straße', 'strasse', long, other]) builts.push(await buildArticle(app.url, { title }, theo));
    for (const [index, { id }] of builts.entries()) {
      await app.database.sequelize.query(
        `update all_articles set created_at = '2020-02-02T00:00:0${index}Z' where id = ${id}`,
      );
    }
    for (let count = 0; count < 2; count++) await buildDraft(app.url, { title: 'Strasse' }, theo);
    await app.database.sequelize.query(`update drafts set created_at = '2020-02-02' where title = 'Strasse'`);
    const exported = await exportMarkdown(app, '--all');
    const names = [...exported.files.keys()].filter((path) => path.includes('2020-02-02'));
    expect(names).to.deep.equal([
      'articles/2020-02-02-strasse-2.md',
      'articles/2020-02-02-straße.md',
      `articles/2020-02-02-${'길'.repeat(54)}-2.md`,
      `articles/2020-02-02-${'길'.repeat(54)}.md`,
      'drafts/2020-02-02-strasse-3.md',
      'drafts/2020-02-02-strasse-4.md',
    ]);
    for (const { id } of builts) await call(app.url, `DELETE /api/articles/${id}`, { token: theo.token });
    await app.database.sequelize.query(`delete from drafts where title = 'Strasse'`);
  });

  it('writes all comments and replies, in the order of their times', async () => {
    const { id } = await buildArticle(app.url, { title: 'Busy' }, theo);
    await app.database.sequelize.query(`insert into comments (article_id, member_id, content, created_at)
      select ${id}, ${theo.id}, 'c' || n, timestamptz '2024-01-01' + n * interval '1 s' from generate_series(1, 120) n`);
    await app.database.sequelize.query(`insert into comments (article_id, member_id, parent_id, content, created_at)
      select ${id}, ${mina.id}, c.id, 'r' || n, timestamptz '2024-02-01' + n * interval '1 s'
      from generate_series(1, 1203) n join comments c on c.article_id = ${id} and c.content = 'c' || (1 + n % 2 * 59)
      where n % 2 = 0 or n <= 199`);
    const { files } = await exportMarkdown(app);
    const comments = jsonOf<ExportedComment[]>(files, `comments/${date}-busy.json`);
    expect(comments.map(({ content }) => content)).to.deep.equal(
      Array.from({ length: 120 }, (_, index) => `c${index + 1}`),
    );
    const repliesTo = (index: number) => comments[index]?.replies?.map(({ content }) => content);
    expect(repliesTo(0)).to.deep.equal(Array.from({ length: 601 }, (_, index) => `r${2 * index + 2}`));
    expect(repliesTo(59)).to.deep.equal(Array.from({ length: 100 }, (_, index) => `r${2 * index + 1}`));
    expect(repliesTo(1)).to.equal(undefined);
    await call(app.url, `DELETE /api/articles/${id}`, { token: theo.token });
  });

  it('reports a missing image, keeps its address and writes the rest', async () => {
    const { url, key } = await buildImage(app.url, theo);
    await rm(join(app.dataDir, 'images', `${key}.webp`));
    const { id } = await buildArticle(
      app.url,
      { title: 'Lost', content: `![gone](${url}) ![kept](${photo.url})` },
      theo,
    );
    const { files, stderr } = await exportMarkdown(app);
    const path = `articles/${date}-lost.md`;
    expect(stderr).to.contain(`An image is missing in the image storage: ${url} (${path}).\n`);
    expect(textsOf(files).get(`${date}-lost`)?.content).to.equal(`![gone](${url}) ![kept](${photoPath})`);
    await call(app.url, `DELETE /api/articles/${id}`, { token: theo.token });
  });

  it('reads one snapshot, without what is written during the export', async () => {
    const folder = join(await makeFolder(), 'snapshot');
    await mkdir(folder);
    let isWritten = false;
    await inSnapshot(app.database, async ({ read }) => {
      const counting: MarkdownExport['snapshot'] = {
        read: async (prepared, values) => {
          const rows = await read(prepared, values);
          if (!isWritten) await setPrivate(app.url, await buildArticle(app.url, { title: 'Late' }, theo));
          isWritten = true;
          return rows;
        },
      };
      await writeMarkdown(folder, runOf({ snapshot: counting }));
    });
    expect([...(await readFiles(folder))]).to.deep.equal([...everything]);
    await app.database.sequelize.query(`delete from all_articles where title = 'Late'`);
  });

  it('accepts an empty folder, and rejects other ones without a change', async () => {
    const parent = await makeFolder();
    const [empty, link, full, file] = ['empty', 'link', 'full', 'file'].map((name) => join(parent, name));
    await mkdir(String(empty));
    await mkdir(String(full));
    await symlink(String(empty), String(link));
    for (const path of [join(String(full), 'kept'), String(file)]) await writeFile(path, 'old');
    const results = [];
    for (const path of [full, file, join(parent, 'no/where')])
      results.push(await runExport(app, '--markdown', String(path)));
    expect(results).to.deep.equal(
      [
        `${full} is not empty: choose a new or an empty folder.\n`,
        `Expected a folder, but ${file} is a file.\n`,
        `${join(parent, 'no/where')} cannot be written: its folder does not exist.\n`,
      ].map((stderr) => ({ code: 1, stdout: '', stderr })),
    );
    expect((await runExport(app, '--markdown', `${link}/`)).code).to.equal(0);
    expect([...(await readFiles(String(empty))).keys()]).to.deep.equal([...files.keys()]);
    expect((await readdir(parent)).sort()).to.deep.equal(['empty', 'file', 'full', 'link']);
    expect(await readdir(String(full))).to.deep.equal(['kept']);
  });

  it('is not prevented by what a process with the same id has left', async () => {
    const target = join(await makeFolder(), 'journal');
    const [left, leftFile] = [`${target}.${process.pid}.part`, `${target}.ndjson.${process.pid}.part`];
    await mkdir(left);
    await writeFile(leftFile, '');
    expect((await runExport(app, '--markdown', target)).code).to.equal(0);
    expect((await runExport(app, '--output', `${target}.ndjson`)).code).to.equal(0);
    expect([(await stat(left)).isDirectory(), (await stat(leftFile)).isFile()]).to.deep.equal([true, true]);
  });

  it('leaves nothing when it is stopped', async () => {
    const parent = await makeFolder();
    const path = join(parent, 'stopped');
    const { key } = await buildImage(app.url, theo);
    await rm(join(app.dataDir, 'images', `${key}.webp`));
    const lost = await buildArticle(app.url, { content: `![](/images/${key}.webp)` }, theo);
    const { TEST_DATABASE_URL: DATABASE_URL = '' } = process.env;
    const environment = { DATABASE_URL, DATA_DIR: app.dataDir };
    const { code, stderr } = await runDaybook(['export', '--markdown', path], environment, 'is missing');
    expect([code, stderr]).to.deep.equal([1, stderr]);
    expect(stderr).to.contain(`The command was stopped: ${path} was not written.\n`);
    expect(await readdir(parent)).to.deep.equal([]);
    await call(app.url, `DELETE /api/articles/${lost.id}`, { token: theo.token });
  });

  it('exits with 2 for options that do not fit', async () => {
    const cases = [
      ['--all'],
      ['--markdown', 'x', '--output', 'y'],
      ['--markdown', 'x', '--member', '1'],
      ['--markdown', ''],
    ];
    for (const options of cases) expect((await runExport(app, ...options)).code, options.join(' ')).to.equal(2);
  });

  function runOf(overrides: Pick<MarkdownExport, 'snapshot'>): MarkdownExport {
    return {
      images: app.services.images,
      publicUrl: 'https://journal.test',
      withPrivate: true,
      signal: new AbortController().signal,
      counts: { members: 0, texts: 0, comments: 0 },
      onProgress: () => {},
      onMissingImage: () => {},
      ...overrides,
    };
  }
});

/** Every form of a reference, on several hosts. */
const CONTENT = (key: string) =>
  [
    `![a *lamp*](/images/${key}.webp "Title") and [large](<https://old.test/images/${key}.webp?v=1#x>)`,
    `<img src="https://cdn.test/${key}.webp" srcset="/images/${key}-320.webp 320w, /images/${key}.webp 400w" alt="x"> <a href='/images/${key}.webp'>y</a>`,
    '![ref]',
    `[ref]: https://journal.test/images/${key}-9999.webp`,
    '![other](https://other.test/a.webp) ../images/x',
  ].join('\n\n');
