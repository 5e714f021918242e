/** Account deletion: which data is deleted, which is kept, and that no personal data remains. */
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { QueryTypes } from 'sequelize';
import { createApp } from '../../src/app.js';
import type { PasswordHasher } from '../../src/services/auth/password.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle, buildComment, buildImage, buildMember } from '../support/build.js';
import { call, expectStatus, fieldErrors, graphql } from '../support/client.js';
import { flat } from '../support/images.js';
import { runJobs } from '../support/jobs.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';
import { authenticatorFor, buildPasskey } from '../support/passkeys.js';
import { closeServer, listen } from '../support/server.js';
import { ageLogins, removePassword } from '../support/session.js';
import { buildStyle } from '../support/styles.js';

const app = useApp();

function withdraw({ token }: BuiltMember, json?: unknown) {
  return call(app.url, 'DELETE /api/members/me', json === undefined ? { token } : { token, json });
}

describe('DELETE /api/members/me', () => {
  it('returns 200, deletes the member, sessions and own articles, and anonymizes other comments', async () => {
    const [leaver, host] = [await buildMember(app.url), await buildArticle(app.url)];
    const own = await buildArticle(app.url, {}, leaver);
    const onOwn = await buildComment(app.url, own.id);
    const kept = await buildComment(app.url, host.id, {}, leaver);
    const placeholder = await buildComment(app.url, host.id, {}, leaver);
    const reply = await buildComment(app.url, host.id, { parentCommentId: placeholder.id });
    await call(app.url, `DELETE /api/comments/${placeholder.id}`, { token: leaver.token });
    const { status, body } = await withdraw(leaver, { password: leaver.password });
    expect([status, body]).to.deep.equal([200, { code: '1', message: 'Account deleted.', data: {} }]);
    expect((await call(app.url, 'GET /api/members/me', { token: leaver.token })).body?.code).to.equal(
      'UNAUTHENTICATED',
    );
    expect((await call(app.url, `GET /api/articles/${own.id}`)).status).to.equal(404);
    expect((await call(app.url, 'GET /api/comments/me', { token: onOwn.author.token })).body?.data.contents).to.be
      .empty;
    const { contents } = (await call(app.url, `GET /api/articles/${host.id}/comments`)).body?.data ?? {};
    expect(contents.map(({ id }: { id: number }) => id)).to.deep.equal([placeholder.id, kept.id]);
    expect(contents[1]).to.include({ content: kept.content, author: '(withdrawn)', memberId: 0 });
    expect(contents[0]).to.include({ content: '(deleted)', author: '(deleted)' });
    expect(contents[0].replies[0].id).to.equal(reply.id);
    const received = await call(app.url, 'GET /api/comments/me/received', { token: host.author.token });
    const ids = received.body?.data.contents.map(({ id }: { id: number }) => id);
    expect(ids).to.deep.equal([reply.id, kept.id]);
    expect(received.body?.data.pagination.totalElements).to.equal(2);
  });

  it('returns 200 and makes the email and the nickname available again', async () => {
    const { email, password, nickname, ...leaver } = await buildMember(app.url);
    await withdraw({ email, password, nickname, ...leaver }, { password });
    const json = { email, password: 'another password', nickname, memberName: 'Again' };
    const again = await call(app.url, 'POST /api/auth/register', { json });
    expect(again.status).to.equal(201);
    expect(again.body?.data.id).to.not.equal(leaver.id);
  });

  it('returns 200 without a password for an account that has none, within ten minutes of its login', async () => {
    const leaver = await buildMember(app.url);
    await removePassword(app, leaver.id);
    expect((await withdraw(leaver)).status).to.equal(200);
  });

  it('returns 403 PROOF_REQUIRED later, also after a refresh, and deletes nothing', async () => {
    const leaver = await buildMember(app.url);
    await removePassword(app, leaver.id);
    await ageLogins(app, leaver.id, 11);
    const { body } = await call(app.url, 'POST /api/auth/refresh', { json: { refreshToken: leaver.refreshToken } });
    await expectStatus(withdraw({ ...leaver, token: body?.data.accessToken }), 403, 'PROOF_REQUIRED');
    expect((await withdraw(leaver, { password: leaver.password })).body?.code).to.equal('PROOF_REQUIRED');
    expect((await call(app.url, 'GET /api/members/me', { token: leaver.token })).status).to.equal(200);
  });

  it('returns 200 once for concurrent requests, and 401 for the others', async () => {
    const leaver = await buildMember(app.url);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => withdraw(leaver, { password: leaver.password })),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401, 401, 401]);
  });

  it('returns 401 if the account is deleted while the password is compared', async () => {
    const leaver = await buildMember(app.url);
    const hasher: { matches?: PasswordHasher['matches'] } = app.services.passwordHasher;
    hasher.matches = async () => {
      await app.database.sequelize.query('delete from members where id = :id', { replacements: { id: leaver.id } });
      return false;
    };
    try {
      await expectStatus(withdraw(leaver, { password: leaver.password }), 401, 'UNAUTHENTICATED');
    } finally {
      // The method of the class is in its place again.
      delete hasher.matches;
    }
  });

  it('returns 400 for a missing or wrong password, and deletes nothing', async () => {
    const leaver = await buildMember(app.url);
    for (const json of [undefined, {}, { password: null }, { password: 'wrong one' }, { password: '' }]) {
      const response = await expectStatus(withdraw(leaver, json), 400, 'VALIDATION_FAILED');
      expect(fieldErrors(response)[0]).to.match(/^password: /);
    }
    expect((await call(app.url, 'GET /api/members/me', { token: leaver.token })).status).to.equal(200);
  });

  it('returns 401 without a token', async () => {
    expect((await call(app.url, 'DELETE /api/members/me')).status).to.equal(401);
  });
});

describe('GraphQL withdraw', () => {
  it('deletes the account, and rejects a wrong password', async () => {
    const { id, token, password } = await buildMember(app.url);
    const query = 'mutation ($password: String) { withdraw(password: $password) { id } }';
    const rejected = await graphql(app.url, query, { password: 'wrong one' }, token);
    expect(rejected.errors?.[0]?.extensions).to.deep.equal({
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'password', message: 'is not your current password' }],
    });
    expect((await graphql(app.url, query, { password }, token)).data.withdraw).to.deep.equal({ id: String(id) });
    const withdrawn = await graphql(app.url, 'query ($id: ID!) { member(id: $id) { nickname } }', { id });
    expect(withdrawn.errors?.[0]?.extensions.code).to.equal('MEMBER_NOT_FOUND');
  });
});

/** Every row of every table in all schemas except the system catalogs. */
async function everyRow(): Promise<string> {
  const tables = await app.database.sequelize.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
    { type: QueryTypes.SELECT },
  );
  const rows = await Promise.all(
    tables.map(({ name }) => app.database.sequelize.query(`select t::text as row from ${name} t`)),
  );
  return JSON.stringify(rows.map(([table]) => table));
}

/** Errors with their details, which only the server of the tests logs (`log_min_messages`). */
const ERRORS = /^.* ERROR: .*\n(?:\t.*\n|.* (?:DETAIL|HINT|CONTEXT): .*\n)*/gm;

/** Names and contents of all files in the data folder, and the database server's log. */
async function everyFile(): Promise<string> {
  const names = await readdir(app.dataDir, { recursive: true, withFileTypes: true });
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const logFile = process.env.TEST_SERVER_LOG ?? '';
  const texts = await Promise.all(paths.map((path) => readFile(path, 'latin1')));
  const logged = (await readFile(logFile, 'latin1')).replace(ERRORS, '');
  return [...paths, ...texts, logged].join('\n');
}

/** Runs `work` on a second application with the same database and folder. @returns its log */
async function withReadableLog(work: (url: string) => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const { attach, stop } = await createApp({ ...app.services, log: pino({ level: 'trace' }, stream) });
  const server = createServer();
  attach(server);
  await work(`http://127.0.0.1:${await listen(server)}`);
  await closeServer(server);
  await stop();
  return lines.join('');
}

describe('After withdrawing', () => {
  it('no hash of an imported email or name is left', async () => {
    const leaver = await buildMember(app.url);
    await app.database.sequelize.query(`insert into imported_records (source, kind, key, row_id)
       values ('blog.test', 'member', 'a hash', ${leaver.id}), ('blog.test', 'article', '7', ${leaver.id})`);
    await withdraw(leaver, { password: leaver.password });
    const left = await app.database.sequelize.query('select kind from imported_records', { type: QueryTypes.SELECT });
    expect(left).to.deep.equal([{ kind: 'article' }]);
  });

  it('leaves no personal data in any table, file or log', async () => {
    const marked = (word: string) => `Zwielicht${word}`;
    const email = 'zwielicht@example.org';
    const png = await flat(8, 8).png().toBuffer();
    const host = await buildArticle(app.url);
    const fields = {
      title: marked('title'),
      content: marked('content'),
      tags: [marked('tag')],
      category: marked('shelf'),
    };
    const log = await withReadableLog(async (url) => {
      const leaver = await buildMember(url, { email, memberName: marked('name'), nickname: marked('nick') });
      const { token, password } = leaver;
      const [request, file] = [requestPart({ bio: marked('bio') }), filePart(png, `${marked('file')}.png`)];
      await call(url, 'PATCH /api/members/me', { token, ...multipart([request, file]) });
      await call(url, 'POST /api/categories', { token, json: { categoryName: marked('shelf') } });
      await buildStyle(url, leaver, { name: marked('style'), role: marked('role'), instruction: marked('words') });
      const passkey = await buildPasskey(url, leaver, authenticatorFor(app.url));
      await call(url, `PATCH /api/members/me/passkeys/${passkey.id}`, { token, json: { name: marked('key') } });
      for (const visibility of ['PUBLIC', 'PRIVATE']) {
        const parts = [requestPart({ ...fields, visibility }), file];
        const made = await call(url, 'POST /api/articles', { token, ...multipart(parts) });
        expect(made.status, JSON.stringify(made.body)).to.equal(201);
      }
      const image = await buildImage(url, leaver);
      await buildArticle(url, { content: `![](${image.url})` }, leaver);
      await buildArticle(url, { content: `![](${image.url})` }, host.author);
      await buildComment(url, host.id, { content: 'kept, without a name' }, leaver);
      await call(url, 'POST /api/auth/register', {
        json: { email, password, memberName: 'x', nickname: marked('nick') },
      });
      await call(url, 'POST /api/auth/login', { json: { email, password: 'not the right one' } });
      await call(url, `GET /api/articles?keyword=${marked('title')}`);
      expect(await everyRow()).to.match(/zwielicht/i);
      expect((await call(url, 'DELETE /api/members/me', { token, json: { password } })).status).to.equal(200);
    });
    await runJobs(app);
    expect(await everyRow()).to.not.match(/zwielicht/i);
    expect(await readdir(join(app.dataDir, 'images'))).to.deep.equal([]);
    expect(await everyFile()).to.not.match(/zwielicht/i);
    expect(log).to.match(/"status":200/);
    expect(log).to.not.match(/zwielicht/i);
    expect(await everyRow()).to.match(/kept, without a name/);
  });
});
