/** The table of comments that wait for approval, and what operators and exports do with its rows. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { type BuiltArticle, buildArticle, buildComment } from '../support/build.js';
import { runDaybook } from '../support/cli.js';
import { call } from '../support/client.js';
import { runExport, unzip } from '../support/exported.js';
import { makeFolder } from '../support/folder.js';
import { buildHeldComment, edit, MANY_LINKS } from '../support/held.js';
import { rowsOf } from '../support/imported.js';

const app = useApp();

describe('The table held_comments', () => {
  it('has the columns of comments after its own, with the same types, and so has the view of both', async () => {
    const columnsOf = (table: string) =>
      rowsOf<{ name: string }>(
        app.database,
        `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
         where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
      );
    const comments = await columnsOf('comments');
    for (const table of ['held_comments', 'all_comments']) {
      const [heldAt, spamScore, ...others] = await columnsOf(table);
      expect([heldAt?.name, spamScore?.name], table).to.deep.equal(['held_at', 'spam_score']);
      expect(others, table).to.deep.equal(comments);
    }
  });

  it('follows articles that get another author', async () => {
    const article = await buildArticle(app.url);
    const { id, author } = await buildHeldComment(app.url, article.id);
    const other = await buildArticle(app.url);
    const waiting = async ({ author: { token } }: BuiltArticle) =>
      (await call(app.url, 'GET /api/comments/me/received?held=true', { token })).body?.data.pagination.totalElements;
    await app.database.sequelize.query(`update all_articles set member_id = ${other.author.id}, category_id = (
      select id from categories where member_id = ${other.author.id} and is_default) where id = ${article.id}`);
    expect([await waiting(article), await waiting(other)]).to.deep.equal([0, 1]);
    expect((await call(app.url, `GET /api/comments/${id}`, { token: author.token })).status).to.equal(200);
  });
});

describe('Held comments', () => {
  it('are in the archive of their author, and in no export of the journal', async () => {
    const article = await buildArticle(app.url);
    const content = `${MANY_LINKS} waits`;
    const { author } = await buildHeldComment(app.url, article.id, { content });
    const again = await buildComment(app.url, article.id, {}, author);
    await buildComment(app.url, article.id, { parentCommentId: again.id });
    await edit(app.url, again, `${content} again`);
    const path = join(await makeFolder(), 'archive.zip');
    await runExport(app, '--member', String(author.id), '--output', path);
    const files = await unzip(path);
    const comments: { content: string; held: boolean }[] = JSON.parse(String(files.get('comments.json')));
    expect(comments.map((one) => [one.content, one.held])).to.deep.equal([
      [content, true],
      [`${content} again`, true],
    ]);
    const folder = join(await makeFolder(), 'markdown');
    const { stdout, stderr } = await runExport(app);
    expect(stdout, stderr).to.include('(held)').and.not.include('waits');
    await runExport(app, '--markdown', folder, '--all');
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
    expect(names).to.not.be.empty;
    for (const name of names) expect(await readFile(join(folder, name), 'utf8')).to.not.include('waits');
  });

  it('are deleted, but not hidden, by operators', async () => {
    const { TEST_DATABASE_URL: DATABASE_URL = '' } = process.env;
    const run = (...args: string[]) => runDaybook(args, { DATABASE_URL, DATA_DIR: app.dataDir });
    const { id, author } = await buildHeldComment(app.url, (await buildArticle(app.url)).id);
    const hidden = await run('comment', 'hide', String(id), '--yes');
    expect([hidden.code, hidden.stderr]).to.deep.equal([
      1,
      `The comment ${id} waits for approval: others do not see it.\n`,
    ]);
    expect((await run('comment', 'delete', String(id), '--yes')).code).to.equal(0);
    expect((await call(app.url, `GET /api/comments/${id}`, { token: author.token })).status).to.equal(404);
  });
});
