/** `daybook export`: all public data, and no private data. */
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type JournalCounts, journalLines } from '../../../src/cli/export/journal.js';
import { inSnapshot } from '../../../src/export/snapshot.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment, buildImage, buildMember } from '../../support/build.js';
import { type CliResult, runDaybook, withoutProgress } from '../../support/cli.js';
import { call } from '../../support/client.js';
import { type BuiltJournal, buildJournal, PRIVATE, recordsOf, runExport, unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { rowsOf } from '../../support/imported.js';
import { remove, restore } from '../../support/removal.js';
import { buildSeries } from '../../support/series.js';
import { setPrivate } from '../../support/visibility.js';

describe('daybook export', function () {
  this.timeout(120_000);

  const app = useApp();
  let folder: string;
  let journal: BuiltJournal;
  /** Of the journal as it was built. */
  let exported: CliResult;
  before(async () => {
    folder = await makeFolder();
    journal = await buildJournal(app);
    exported = await runExport(app);
  });

  it('writes a header, a line for each member, article and comment as in REST, and an end line', async () => {
    const { code, stdout, stderr } = exported;
    expect([code, withoutProgress(stderr)]).to.deep.equal([0, '']);
    const [head, ...records] = recordsOf(stdout);
    expect(head).to.include({ type: 'journal', format: 2, url: 'https://journal.test' });
    expect(records.pop()).to.deep.equal({ type: 'end', members: 2, articles: 1, series: 0, comments: 2 });
    const [mina, theo, article, comment, reply] = records;
    expect(mina).to.include({ type: 'member', nickname: 'mina', bio: 'Keeps a light.' });
    expect(mina?.profileImg).to.match(/^https:\/\/journal\.test\/images\/[0-9a-f]{32}\.webp$/);
    expect(theo).to.include({ nickname: 'theo', profileImg: null });
    expect(article).to.deep.include({
      title: '등대',
      content: '빛.',
      tags: ['빛', 'sea'],
      category: 'Sea',
      commentCount: 2,
    });
    expect(comment).to.include({ author: 'theo', parentId: null, articleId: article?.id });
    expect(reply).to.include({ author: 'mina', parentId: comment?.id, content: 'Twice.' });
  });

  it('writes the same article fields as the REST API', async () => {
    const records = recordsOf(exported.stdout);
    const { body } = await call(app.url, `GET /api/articles/${journal.article.id}`);
    const { type, publishedAt, createdAt, updatedAt, ...article } =
      records.find((record) => record.type === 'article') ?? {};
    // The image of the author is in the record of the member.
    const {
      excerpt: _excerpt,
      authorImg: _authorImg,
      publishedAt: published,
      createdAt: created,
      updatedAt: updated,
      // An export contains public articles only.
      visibility: _visibility,
      removedAt: _removedAt,
      ...shown
    } = body?.data ?? {};
    expect(article).to.deep.include(withoutSummary(shown));
    const times = [publishedAt, createdAt, updatedAt].map((time) => String(time).slice(0, 19));
    expect(times).to.deep.equal([published, created, updated]);
  });

  it('names the images in the content of each article, on the current address', async () => {
    const author = await buildMember(app.url);
    const { url, key } = await buildImage(app.url, author);
    const { id } = await buildArticle(app.url, { content: `![](${url})` }, author);
    const { stdout } = await runExport(app);
    const article = recordsOf(stdout).find((record) => record.type === 'article' && record.id === id);
    const image = { url: `https://journal.test/images/${key}.webp`, width: 400, height: 10 };
    expect(article?.images).to.deep.equal([image]);
    await call(app.url, `DELETE /api/articles/${id}`, { token: author.token });
    await call(app.url, 'DELETE /api/members/me', { token: author.token, json: { password: author.password } });
  });

  it('contains hidden comments as everyone sees them; the archive of their author has the content', async () => {
    const { id } = recordsOf(exported.stdout).find(({ content }) => content === 'It blinks.') ?? {};
    const { token } = journal.mina;
    const set = (hidden: boolean) => call(app.url, `PUT /api/comments/${id}/hidden`, { token, json: { hidden } });
    await set(true);
    const { stdout } = await runExport(app);
    expect(recordsOf(stdout).find((record) => record.type === 'comment' && record.id === id)).to.include({
      content: '(hidden)',
      author: 'theo',
    });
    const path = join(await makeFolder(), 'theo.zip');
    await runExport(app, '--member', String(journal.theo.id), '--output', path);
    const [own] = JSON.parse((await unzip(path)).get('comments.json')?.toString() ?? '[]');
    expect(own).to.include({ id, content: 'It blinks.', hidden: true });
    await set(false);
  });

  it('contains no member whose address is not confirmed, who has no public profile', async () => {
    const { id } = await buildMember(app.url);
    const members = async () =>
      recordsOf((await runExport(app)).stdout)
        .filter(({ type }) => type === 'member')
        .map((member) => member.id);
    expect(await members()).to.include(id);
    await app.database.sequelize.query(
      `update members set pending_since = now(), email_verified_at = null where id = ${id}`,
    );
    expect((await call(app.url, `GET /api/members/${id}`)).status).to.equal(404);
    expect(await members()).to.deep.equal([journal.mina.id, journal.theo.id]);
    await app.database.sequelize.query(`delete from members where id = ${id}`);
  });

  it('contains no content that a moderator has removed; the archive of its author has it', async () => {
    const { id } = recordsOf(exported.stdout).find(({ content }) => content === 'It blinks.') ?? {};
    const article = await buildArticle(app.url, { title: 'Gossip', content: 'He said.' }, journal.theo);
    await remove(app, 'comment', Number(id));
    await remove(app, 'article', article.id);
    const records = recordsOf((await runExport(app)).stdout);
    expect(records.find((record) => record.type === 'comment' && record.id === id)?.content).to.equal('(removed)');
    expect(records.map(({ title }) => title)).to.not.include('Gossip');
    const path = join(await makeFolder(), 'theo.zip');
    await runExport(app, '--member', String(journal.theo.id), '--output', path);
    const files = await unzip(path);
    const rowsIn = (name: string) => JSON.parse(files.get(name)?.toString() ?? '[]');
    for (const [own, content] of [
      [rowsIn('comments.json')[0], 'It blinks.'],
      [rowsIn('articles.json').at(-1), 'He said.'],
    ]) {
      expect(own.content).to.equal(content);
      expect(own.removedAt).to.be.a('string');
    }
    await restore(app, 'comment', Number(id));
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: journal.theo.token });
  });

  it('contains neither private articles nor the comments on them', async () => {
    const { mina, theo } = journal;
    const article = await buildArticle(app.url, {}, mina);
    await buildComment(app.url, article.id, {}, theo);
    await setPrivate(app.url, article);
    expect((await runExport(app)).stdout).to.equal(exported.stdout);
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: mina.token });
  });

  it('contains series with their public articles in order, and the series of each article', async () => {
    const { mina } = journal;
    const [first, hidden, last] = [
      await buildArticle(app.url, {}, mina),
      await buildArticle(app.url, { visibility: 'PRIVATE' }, mina),
      await buildArticle(app.url, {}, mina),
    ];
    const id = await buildSeries(app.url, mina, [last, hidden, first], { title: 'Lights', description: 'Two.' });
    const records = recordsOf((await runExport(app)).stdout);
    expect(records.find(({ type }) => type === 'series')).to.deep.include({
      ...{ id, title: 'Lights', description: 'Two.', memberId: mina.id, articleCount: 2 },
      articleIds: [last.id, first.id],
    });
    expect(records.find((record) => record.type === 'article' && record.id === first.id)?.seriesId).to.equal(id);
    expect(records.at(-1)).to.include({ series: 1 });
    const path = join(await makeFolder(), 'mina.zip');
    await runExport(app, '--member', String(mina.id), '--output', path);
    const [own] = JSON.parse((await unzip(path)).get('series.json')?.toString() ?? '[]');
    expect(own).to.deep.include({ id, title: 'Lights', articleIds: [last.id, hidden.id, first.id] });
    for (const target of [`series/${id}`, ...[first, hidden, last].map((one) => `articles/${one.id}`)])
      await call(app.url, `DELETE /api/${target}`, { token: mina.token });
  });

  it('contains no private data', async () => {
    const { stdout } = exported;
    const secrets = [
      PRIVATE.name,
      PRIVATE.device,
      PRIVATE.style,
      PRIVATE.revision,
      PRIVATE.draft,
      PRIVATE.draftRevision,
      '@private.test',
      'subject-8271',
      'argon2',
      '127.0.0.1',
    ];
    const rows = await rowsOf<{ secret: string }>(
      app.database,
      `select password_hash as secret from members union all select id::text from sessions
       union all select encode(refresh_hash, 'base64') from sessions union all select encode(refresh_hash, 'hex') from sessions`,
    );
    expect(rows).to.have.length(11);
    for (const secret of [...secrets, ...rows.map(({ secret }) => secret)]) expect(stdout).to.not.contain(secret);
    const fields = new Set(recordsOf(stdout).flatMap((record) => Object.keys(record)));
    for (const field of ['email', 'memberName', 'password', 'passwordHash']) expect(fields).to.not.include(field);
  });

  it('writes the same bytes for the same journal to standard output and to a file', async () => {
    const path = join(folder, 'journal.ndjson');
    const written = await runExport(app, '--output', path);
    const stderr = `Exported 2 members, 1 article and 2 comments to ${path}.\n`;
    expect(written).to.deep.equal({ code: 0, stdout: '', stderr });
    expect(await readFile(path, 'utf8')).to.equal(exported.stdout);
    expect(await readdir(folder)).to.deep.equal(['journal.ndjson']);
  });

  it('reads one snapshot, without data that is written during the export', async () => {
    const counts: JournalCounts = { members: 0, articles: 0, series: 0, comments: 0 };
    const place = { publicUrl: 'https://journal.test', images: app.services.images };
    const text = await inSnapshot(app.database, async (snapshot) => {
      let read = '';
      for await (const lines of journalLines(snapshot, place, counts)) {
        if (counts.members === 2 && counts.articles === 0) {
          const { id } = await buildArticle(app.url, {}, journal.mina);
          await buildComment(app.url, id, {}, journal.theo);
        }
        read += lines;
      }
      return read;
    });
    expect(recordsOf(text).at(-1)).to.deep.equal({ type: 'end', members: 2, articles: 1, series: 0, comments: 2 });
    expect(recordsOf((await runExport(app)).stdout).at(-1)).to.include({ articles: 2, comments: 3 });
  });

  it('exports more comments than fit into one page, in the order of their ids', async () => {
    await app.database.sequelize.query(`insert into comments (article_id, member_id, content)
       select ${journal.article.id}, ${journal.theo.id}, 'Light ' || n from generate_series(1, 1203) n`);
    const records = recordsOf((await runExport(app)).stdout).filter(({ type }) => type === 'comment');
    const ids = records.map(({ id }) => Number(id));
    expect(new Set(ids).size).to.equal(1206);
    expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
  });

  it('replaces a file, also through a symbolic link, and keeps it on an error', async () => {
    const [path, link] = [join(folder, 'kept.ndjson'), join(folder, 'link.ndjson')];
    await writeFile(path, 'old');
    await symlink(path, link);
    expect((await runDaybook(['export', '-o', link], { DATA_DIR: join(folder, 'none') })).code).to.equal(1);
    expect(await readFile(path, 'utf8')).to.equal('old');
    expect((await runExport(app, '-o', link)).code).to.equal(0);
    expect(recordsOf(await readFile(path, 'utf8')).at(-1)).to.include({ type: 'end' });
  });

  it('exits with 1 and one message when the file cannot be written', async () => {
    const cases = [
      [folder, `Expected a file, but ${folder} is a folder.\n`],
      [
        join(folder, 'no/where.ndjson'),
        `${join(folder, 'no/where.ndjson')} cannot be written: its folder does not exist.\n`,
      ],
      ['/dev/null', '/dev/null is not a regular file: redirect standard output to it instead.\n'],
    ] as const;
    for (const [path, stderr] of cases) {
      expect(await runExport(app, '--output', path)).to.deep.equal({ code: 1, stdout: '', stderr });
    }
    expect((await stat('/dev/null')).isFile()).to.equal(false);
  });
});

/** The export contains the summary, but not its status. */
function withoutSummary({ summaryStatus: _, ...article }: Record<string, unknown>) {
  return article;
}
