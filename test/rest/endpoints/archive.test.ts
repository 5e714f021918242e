/** The archive of the member's own data: its content, who may download it, and how often. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { buildArticle, buildMember } from '../../support/build.js';
import { call, expectStatus } from '../../support/client.js';
import { buildJournal, runExport, unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { ageLogins, logIn, removePassword } from '../../support/session.js';
import { setPrivate } from '../../support/visibility.js';

const app = useApp();
const ARCHIVE = '/api/members/me/archive';

const download = (token: string, method = 'GET') =>
  fetch(app.url + ARCHIVE, { method, headers: { Authorization: `Bearer ${token}` } });

async function entriesOf(bytes: ArrayBuffer | Buffer): Promise<Map<string, Buffer>> {
  const path = join(await makeFolder(), 'archive.zip');
  await writeFile(path, Buffer.from(bytes as ArrayBuffer));
  return unzip(path);
}

describe('GET /api/members/me/archive', () => {
  it('returns the ZIP of `daybook export --member`', async () => {
    const { mina } = await buildJournal(app);
    const response = await download(mina.token);
    expect(response.status).to.equal(200);
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="daybook-archive.zip"',
      'cache-control': 'no-store',
    });
    const entries = await entriesOf(await response.arrayBuffer());
    const path = join(await makeFolder(), 'exported.zip');
    await runExport(app, '--member', String(mina.id), '--output', path);
    const exported = await unzip(path);
    expect([...entries.keys()]).to.deep.equal([...exported.keys()]);
    for (const [name, bytes] of exported) {
      if (name !== 'README.txt') expect(entries.get(name)?.equals(bytes), name).to.equal(true);
    }
    expect(JSON.parse(entries.get('profile.json')?.toString() ?? '').email).to.equal('mina@private.test');
  });

  it('has the likes, bookmarks and follows of the member, without titles of articles that others have made private', async () => {
    const [reader, other] = [await buildMember(app.url), await buildMember(app.url)];
    const [shown, hidden] = [
      await buildArticle(app.url, { title: 'Shown' }),
      await buildArticle(app.url, { title: 'Hidden' }),
    ];
    for (const [target, { token }] of [
      [`articles/${shown.id}/like`, reader],
      [`articles/${hidden.id}/like`, reader],
      [`articles/${hidden.id}/bookmark`, reader],
      [`members/${other.id}/follow`, reader],
      [`members/${reader.id}/follow`, other],
      [`articles/${shown.id}/bookmark`, other],
    ] as const)
      await expectStatus(call(app.url, `PUT /api/${target}`, { token }), 200, '1');
    await setPrivate(app.url, hidden);
    const entries = await entriesOf(await (await download(reader.token)).arrayBuffer());
    const listed = (name: string) =>
      JSON.parse(entries.get(name)?.toString() ?? '').map(({ createdAt, ...rest }: Record<string, unknown>) => {
        expect(createdAt).to.be.a('string');
        return rest;
      });
    expect(listed('likes.json')).to.deep.equal([
      { id: shown.id, title: 'Shown' },
      { id: hidden.id, title: null },
    ]);
    expect(listed('bookmarks.json')).to.deep.equal([{ id: hidden.id, title: null }]);
    expect(listed('following.json')).to.deep.equal([{ id: other.id, nickname: other.nickname }]);
  });

  it('returns 403 PROOF_REQUIRED ten minutes after the login, also with a password and after a refresh', async () => {
    const member = await buildMember(app.url);
    await ageLogins(app, member.id, 11);
    await expectStatus(call(app.url, `GET ${ARCHIVE}`, { token: member.token }), 403, 'PROOF_REQUIRED');
    expect((await download(member.token, 'HEAD')).status).to.equal(403);
    const { refreshToken } = member;
    const { body } = await call(app.url, 'POST /api/auth/refresh', { json: { refreshToken } });
    await expectStatus(call(app.url, `GET ${ARCHIVE}`, { token: body?.data.accessToken }), 403, 'PROOF_REQUIRED');
    const { accessToken } = await logIn(app.url, member);
    await removePassword(app, member.id);
    expect((await call(app.url, `GET ${ARCHIVE}`, { token: accessToken })).status).to.equal(200);
  });

  it('returns 401 without a token, and 405 for other methods', async () => {
    await expectStatus(call(app.url, `GET ${ARCHIVE}`), 401, 'UNAUTHENTICATED');
    await expectStatus(call(app.url, `POST ${ARCHIVE}`), 405, 'METHOD_NOT_ALLOWED');
  });

  it('returns 429 for a second download within an hour, and records the first one; HEAD does not count', async () => {
    const [member, other] = [await buildMember(app.url), await buildMember(app.url)];
    const head = await download(member.token, 'HEAD');
    expect([head.status, head.headers.get('Content-Type')]).to.deep.equal([200, 'application/zip']);
    const parallel = await Promise.all(Array.from({ length: 5 }, () => download(member.token)));
    const bodies = await Promise.all(parallel.map((response) => response.arrayBuffer()));
    expect(parallel.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429, 429, 429]);
    const rejectedIndex = parallel.findIndex(({ status }) => status === 429);
    expect(JSON.parse(Buffer.from(bodies[rejectedIndex] as ArrayBuffer).toString())).to.deep.equal({
      code: 'RATE_LIMITED',
      message: 'Too many archive downloads: try again in 60 minutes.',
      data: {},
    });
    expect(parallel[rejectedIndex]?.headers.get('Content-Disposition')).to.equal(null);
    expect(Number(parallel[rejectedIndex]?.headers.get('Retry-After'))).to.be.within(3_590, 3_600);
    const again = await logIn(app.url, member);
    await expectStatus(call(app.url, `GET ${ARCHIVE}`, { token: again.accessToken }), 429, 'RATE_LIMITED');
    expect((await download(other.token)).status).to.equal(200);
    const { body } = await call(app.url, 'GET /api/members/me/security-events?size=2', { token: member.token });
    expect(body?.data.contents[1].kind).to.equal('ARCHIVE_DOWNLOADED');
  });
});
