/** `daybook export --member`: all data of one member, and no data of other members. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { writeFileFrom } from '../../../src/cli/export/output.js';
import { memberArchive } from '../../../src/export/member-archive.js';
import { LEFT_OUT, MEMBER_FILES } from '../../../src/export/member-files.js';
import { inSnapshot, type Snapshot, withoutSnapshot } from '../../../src/export/snapshot.js';
import { type ImageStore, openImageStore } from '../../../src/services/images/store.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildImage, buildMember } from '../../support/build.js';
import { call } from '../../support/client.js';
import { buildDraft } from '../../support/drafts.js';
import { type BuiltJournal, buildJournal, PRIVATE, runExport, unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { rowsOf } from '../../support/imported.js';
import { textsOf } from '../../support/markdown-folder.js';
import { setPrivate } from '../../support/visibility.js';

describe('daybook export --member', function () {
  this.timeout(120_000);

  const app = useApp();
  let folder: string;
  let journal: BuiltJournal;
  let entries: Map<string, Buffer>;
  const parsed = (name: string) => JSON.parse(entries.get(name)?.toString() ?? 'null');

  before(async () => {
    folder = await makeFolder();
    journal = await buildJournal(app);
  });
  it('writes a ZIP with mode 600 for a member given by email or by id', async () => {
    const path = join(folder, 'mina.zip');
    const stderr = `Exported the data of mina (member ${journal.mina.id}) to ${path}.\n`;
    for (const member of ['MINA@private.test', String(journal.mina.id)]) {
      const result = await runExport(app, '--member', member, '--output', path);
      expect(result).to.deep.equal({ code: 0, stdout: '', stderr });
    }
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    entries = await unzip(path);
  });

  it('contains a file for each kind of data, the images, and a README that describes all files', () => {
    const images = [...entries.keys()].filter((name) => name.startsWith('images/'));
    expect(images).to.have.length(1);
    const texts = [...entries.keys()].filter((name) => name.endsWith('.md'));
    expect(texts.map((name) => name.replace(/\d{4}-\d\d-\d\d/, 'DATE'))).to.deep.equal([
      'articles/DATE-등대.md',
      'drafts/DATE-article.md',
    ]);
    expect([...entries.keys()]).to.deep.equal([
      ...MEMBER_FILES.map(({ name }) => name),
      ...texts,
      ...images,
      'README.txt',
    ]);
    for (const { name, about } of MEMBER_FILES)
      expect(entries.get('README.txt')?.toString()).to.contain(name).and.contain(about);
    expect(
      entries
        .get(images[0] ?? '')
        ?.subarray(8, 12)
        .toString(),
    ).to.equal('WEBP');
    expect(parsed('profile.json').image).to.equal(images[0]);
  });

  it('contains all data of the member', () => {
    const profile = { email: 'mina@private.test', memberName: PRIVATE.name, nickname: 'mina', hasPassword: true };
    expect(parsed('profile.json')).to.include(profile);
    const [article] = parsed('articles.json');
    expect(article).to.deep.include({
      title: '등대',
      content: '빛.',
      category: 'Sea',
      tags: ['빛', 'sea'],
      image: null,
    });
    expect(parsed('article-revisions.json')[1]).to.deep.include({
      number: 2,
      content: PRIVATE.revision,
      tags: ['빛', 'sea'],
    });
    const [draft, ...otherDrafts] = parsed('drafts.json');
    expect(draft).to.deep.include({
      content: PRIVATE.draft,
      category: 'Sea',
      articleId: null,
      image: null,
      revision: 2,
    });
    expect(draft.revisions).to.have.length(1);
    expect(draft.revisions[0]).to.include({ number: 1, content: PRIVATE.draftRevision });
    expect(otherDrafts).to.deep.equal([]);
    expect(parsed('comments.json')).to.have.length(1);
    expect(parsed('comments.json')[0]).to.include({ content: 'Twice.', articleTitle: '등대' });
    expect(parsed('categories.json').map(({ name }: { name: string }) => name)).to.deep.equal(['General', 'Sea']);
    expect(parsed('notifications.json')[0]).to.include({ type: 'COMMENT', actor: 'theo', readAt: null });
    expect(parsed('notification-settings.json')).to.deep.equal([{ type: 'REPLY', enabled: false, email: 'OFF' }]);
    expect(parsed('custom-styles.json')[0]).to.include({ name: 'Keeper', instruction: PRIVATE.style });
    expect(parsed('sessions.json').map(({ device }: { device: string }) => device)).to.include(PRIVATE.device);
    const [apiToken, ...others] = parsed('api-tokens.json');
    expect(apiToken).to.have.all.keys('name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt');
    expect(apiToken).to.deep.include({ name: 'Lamp', scopes: ['read', 'ai'], lastUsedAt: null });
    expect(others).to.deep.equal([]);
    const [share] = parsed('share-links.json');
    expect(share).to.have.all.keys('draftId', 'articleId', 'createdAt', 'expiresAt');
    expect(share).to.include({ draftId: null, articleId: article.id });
    expect(parsed('security-events.json')[1]).to.include({ kind: 'LOGIN', device: PRIVATE.device });
    const [passkey] = parsed('passkeys.json');
    expect(passkey).to.include({ name: 'a cracked telephone', backedUp: true, lastUsedAt: null });
    expect(passkey).to.have.all.keys('name', 'transports', 'backedUp', 'createdAt', 'lastUsedAt');
    expect(parsed('social-links.json')[0]).to.include({ provider: 'GOOGLE', subject: 'subject-8271' });
    expect(parsed('imported.json')).to.deep.equal([{ source: 'blog.test', key: 'login:mina' }]);
  });

  it('contains no secrets, and no data of other members except visible names', async () => {
    const text = [...entries.values()].map((bytes) => bytes.toString('latin1')).join('\n');
    const rows = await rowsOf<{ secret: string }>(
      app.database,
      `select password_hash as secret from members union all select id::text from sessions
       union all select encode(refresh_hash, 'hex') from sessions union all select encode(token_hash, 'hex') from api_tokens
       union all select encode(token_hash, 'hex') from share_links`,
    );
    for (const secret of ['argon2', 'theo@private.test', 'It blinks.', ...rows.map(({ secret }) => secret)]) {
      expect(text).to.not.contain(secret);
    }
  });

  it('covers every column that refers to a member, or lists it as left out', async () => {
    const columns = await rowsOf<{ name: string }>(
      app.database,
      `select t.relname || '.' || a.attname as name from pg_class t join pg_attribute a on a.attrelid = t.oid
       where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
         and (t.relname = 'members' and a.attname = 'id' or a.attname = 'received_by'
           or a.attname ~ '(^|_)(member|actor|author|owner|user)_id$' or (t.relname, a.attname) = ('follows', 'follower_id')
           or exists (select from pg_constraint f where f.contype = 'f' and f.confrelid = 'members'::regclass
                        and f.conrelid = t.oid and a.attnum = any(f.conkey)))`,
    );
    const known = [...MEMBER_FILES.flatMap(({ covers }) => covers), ...Object.keys(LEFT_OUT)];
    expect(columns.map(({ name }) => name).sort()).to.deep.equal(known.sort());
  });

  it('contains the revisions of all articles, page by page', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 3; count++) ids.push((await buildArticle(app.url, {}, journal.theo)).id);
    const [first = 0, , last = 0] = ids;
    for (const [id, size] of [
      [first, 23],
      [last, 20],
    ]) {
      await app.database.sequelize.query(`insert into article_revisions (article_id, number, title, content, tags, created_at)
        select ${id}, n, 'Title', 'Content', '{}', now() from generate_series(1, ${size}) n`);
    }
    const path = join(folder, 'revisions.zip');
    await runExport(app, '--member', String(journal.theo.id), '--output', path);
    const revisions = JSON.parse((await unzip(path)).get('article-revisions.json')?.toString() ?? '');
    const numbers = (size: number) => Array.from({ length: size }, (_, index) => index + 1);
    expect(revisions.map(({ articleId, number }: Record<string, number>) => [articleId, number])).to.deep.equal([
      ...numbers(23).map((number) => [first, number]),
      ...numbers(20).map((number) => [last, number]),
    ]);
  });

  it('contains the uploaded images with their files', async () => {
    const { id, key, url } = await buildImage(app.url, journal.theo);
    const article = await buildArticle(app.url, { content: `![](${url})` }, journal.theo);
    const path = join(folder, 'theo.zip');
    await runExport(app, '--member', String(journal.theo.id), '--output', path);
    const own = await unzip(path);
    const [image] = JSON.parse(own.get('images.json')?.toString() ?? '');
    const name = `images/${key}.webp`;
    expect(image).to.deep.include({ id, image: name, width: 400, height: 10, articleIds: [article.id] });
    expect(own.get(name)?.subarray(8, 12).toString()).to.equal('WEBP');
  });

  it('contains all texts of the member as Markdown files, with links to the images in the archive', async () => {
    const member = await buildMember(app.url, { nickname: 'lena' });
    const [own, other] = [await buildImage(app.url, member), await buildImage(app.url, journal.mina)];
    const content = `![a](/images/${own.key}-320.webp) ![b](${other.url})`;
    const titles = Array.from({ length: 23 }, (_, index) => `Light ${index}`);
    for (const title of titles) await buildArticle(app.url, { title, content }, member);
    await buildArticle(app.url, { title: 'Diary', visibility: 'PRIVATE' }, member);
    await buildDraft(app.url, { title: 'Unfinished' }, member);
    const path = join(folder, 'lena.zip');
    await runExport(app, '--member', String(member.id), '--output', path);
    const zip = await unzip(path);
    expect([...textsOf(zip).values()].map(({ data }) => data.title)).to.have.members(titles);
    for (const text of textsOf(zip).values())
      expect(text.content).to.equal(`![a](../images/${own.key}.webp) ![b](${other.url})`);
    expect(zip.has(`images/${own.key}.webp`)).to.equal(true);
    const states = (['private', 'drafts'] as const).map((name) => [...textsOf(zip, name).values()]);
    expect(states.map(([text]) => [text?.data.title, text?.data.author, text?.data.draft])).to.deep.equal([
      ['Diary', 'lena', true],
      ['Unfinished', 'lena', true],
    ]);
    expect(states.flat()).to.have.lengthOf(2);
  });

  it('contains private articles with their visibility, and of those of others only the own comments', async () => {
    const { mina, theo, article } = journal;
    const { id, url } = await buildImage(app.url, theo);
    const quoting = await buildArticle(app.url, { content: `![](${url})`, visibility: 'PRIVATE' }, mina);
    await buildArticle(app.url, { title: 'Keeper’s log', visibility: 'PRIVATE', tags: ['log'] }, mina);
    await setPrivate(app.url, article);
    const read = async (member: typeof mina, name: string) => {
      const path = join(folder, `${member.id}-private.zip`);
      await runExport(app, '--member', String(member.id), '--output', path);
      return JSON.parse((await unzip(path)).get(name)?.toString() ?? '');
    };
    const articles = await read(mina, 'articles.json');
    expect(articles.map(({ visibility }: { visibility: string }) => visibility)).to.deep.equal(
      Array(3).fill('PRIVATE'),
    );
    expect(articles[2]).to.deep.include({ title: 'Keeper’s log', tags: ['log'] });
    expect((await read(mina, 'comments.json'))[0]).to.include({ content: 'Twice.', articleTitle: '등대' });
    expect((await read(mina, 'notifications.json'))[0]).to.include({ type: 'COMMENT', articleTitle: '등대' });
    const [own] = await read(theo, 'comments.json');
    expect(own).to.include({ content: 'It blinks.', articleId: article.id, articleTitle: null });
    expect(await read(theo, 'notifications.json')).to.deep.equal([]);
    const images = await read(theo, 'images.json');
    expect(images.find((image: { id: number }) => image.id === id)?.articleIds).to.deep.equal([]);
    await setPrivate(app.url, article, false);
    expect((await read(mina, 'articles.json'))[0]).to.include({ visibility: 'PUBLIC' });
    await call(app.url, `DELETE /api/articles/${quoting.id}`, { token: mina.token });
  });

  it('lists missing images on standard error and in the README of the archive', async () => {
    const [name = ''] = (await readdir(join(app.dataDir, 'images'))).filter((file) =>
      parsed('profile.json').image.endsWith(file),
    );
    await unlink(join(app.dataDir, 'images', name));
    const path = join(folder, 'without-image.zip');
    const { code, stderr } = await runExport(app, '--member', String(journal.mina.id), '--output', path);
    expect(code).to.equal(0);
    expect(stderr).to.contain(`An image is missing in the image storage and in the archive: images/${name}.\n`);
    expect((await unzip(path)).get('README.txt')?.toString()).to.contain(`  images/${name}\n`);
  });

  it('looks up each image when the one before has been read', async () => {
    const { id } = await buildMember(app.url);
    const bytes = Buffer.alloc(100_000);
    await app.database.sequelize.query(`insert into images (member_id, key, width, height, bytes)
      select ${id}, md5('lazy' || n), 1, 1, ${bytes.length} from generate_series(1, 20) n`);
    let lookUps = 0;
    const images = {
      url: (key: string) => `/images/${key}.webp`,
      read: async () => {
        lookUps++;
        return { size: bytes.length, open: async () => Readable.from([bytes]) };
      },
    } as unknown as ImageStore;
    const { zip } = await memberArchive(withoutSnapshot(app.database), images, { id }, new Date());
    const atTimes: number[] = [];
    for await (const _chunk of zip) atTimes.push(lookUps);
    expect(atTimes[0]).to.equal(1);
    expect(new Set(atTimes)).to.have.property('size').above(10);
    expect(lookUps).to.equal(20);
  });

  it('fails when the image storage is unreachable, before it writes anything', async () => {
    const error = new Error('unreachable');
    const images = { url: (key: string) => `/images/${key}.webp`, read: () => Promise.reject(error) };
    const found = memberArchive(
      withoutSnapshot(app.database),
      images as unknown as ImageStore,
      journal.mina,
      new Date(),
    );
    expect(await found.catch((thrown) => thrown)).to.equal(error);
  });

  it('fails when the database fails during the export, and leaves no partial file', async () => {
    const path = join(folder, 'half.zip');
    const images = await openImageStore({ storage: 'local', directory: join(app.dataDir, 'images') });
    const { signal } = new AbortController();
    const failing = inSnapshot(app.database, async ({ read }) => {
      const snapshot: Snapshot = {
        read: (prepared, values) =>
          prepared.name === 'export_comments.json' ? Promise.reject(new Error('it went away')) : read(prepared, values),
      };
      const { zip } = await memberArchive(snapshot, images, { id: journal.mina.id }, new Date());
      await writeFileFrom(zip, path, { mode: 0o600, signal });
    });
    const error = await failing.catch((thrown) => thrown);
    expect(error.message).to.equal('it went away');
    expect((await readdir(folder)).filter((name) => name.startsWith('half'))).to.deep.equal([]);
  });

  it('exits with 1 and one message for an unknown member, and writes no file', async () => {
    const path = join(folder, 'nobody.zip');
    for (const [member, stderr] of [
      ['999999', 'No member has the ID 999999.\n'],
      ['nobody@private.test', 'No member has the email nobody@private.test.\n'],
    ] as const) {
      const result = await runExport(app, '--member', member, '--output', path);
      expect(result).to.deep.equal({ code: 1, stdout: '', stderr });
    }
    expect(await readdir(folder)).to.not.include('nobody.zip');
  });
});
