/** `daybook seed`, beside a running service. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { SEED_LOCK } from '../../../src/platform/database/locks.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import { runDaybook, startDaybook, withoutProgress } from '../../support/cli.js';
import { call } from '../../support/client.js';
import { emptyDatabase, waitingForLock } from '../../support/database.js';
import { until } from '../../support/until.js';

const ADDED = /^Added 10 members, 47 articles, (\d+) comments and (\d+) notifications\.\n/;

describe('daybook seed', function () {
  this.timeout(180_000);

  const app = useApp();
  let environment: Record<string, string>;
  let client: pg.Client;
  const seed = (...args: string[]) => runDaybook(['seed', ...args], environment);
  const count = async (table: string) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count);

  before(async () => {
    // Without the PUBLIC_URL of the service.
    environment = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir };
    client = new pg.Client(app.database.url);
    await client.connect();
  });
  after(() => client.end());

  it('exits with 1 for a password that is too short, and adds nothing', async () => {
    const stderr = 'The password must be 8 to 128 characters long, got 5.\n';
    expect(await seed('--password', 'short')).to.deep.equal({ code: 1, stdout: '', stderr });
    expect(await count('members')).to.equal(0);
  });

  it('adds nothing when it is interrupted, also by a signal that arrives twice', async () => {
    await client.query(`select pg_advisory_lock(${SEED_LOCK})`);
    const { child, result } = startDaybook(['seed'], environment);
    await until(async () => (await waitingForLock(client)) > 0);
    child.kill('SIGINT');
    await delay(50);
    child.kill('SIGINT');
    await client.query(`select pg_advisory_unlock(${SEED_LOCK})`);
    expect(await result).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'The command was stopped: nothing was added.\n',
    });
    expect(await count('members')).to.equal(0);
  });

  it('rejects a database that is not empty unless --add is given', async () => {
    await buildMember(app.url);
    const { code, stdout, stderr } = await seed();
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.equal(
      'The database is not empty (1 member, 0 articles): nothing was added. ' +
        'Use --add to add the sample journal nevertheless.\n',
    );
    expect(await count('members')).to.equal(1);
  });

  it('adds the journal beside the running service, and prints a password valid for every member', async () => {
    const { code, stdout, stderr } = await seed('--add', '--password', 'an owl in the attic');
    // Progress is reported every five seconds.
    expect([code, withoutProgress(stderr)]).to.deep.equal([0, '']);
    expect(stdout).to.match(ADDED);
    const [, password] = /with the password {2}(.*)\nThe password is not shown again\.\n$/.exec(stdout) ?? [];
    const emails = stdout.match(/^ {2}\S+@example\.org/gm) ?? [];
    expect(emails).to.have.length(10);
    expect(stdout).to.match(/^ {2}seojin@example\.org {3,}서진 \(moderator\)$/m);
    for (const email of emails) {
      const { status } = await call(app.url, 'POST /api/auth/login', { json: { email: email.trim(), password } });
      expect(status).to.equal(200);
    }
  });

  it('adds consistent notifications, of which at most half are unread', async () => {
    const unread = Number(
      (await client.query('select count(*) from notifications where read_at is null')).rows[0].count,
    );
    expect(unread).to.be.within(1, (await count('notifications')) / 2);
    const { rows } = await client.query(
      `select from notifications n join comments c on c.id = n.comment_id
       where n.created_at <> c.created_at or n.read_at < n.created_at or n.actor_id = n.member_id`,
    );
    expect(rows).to.have.length(0);
    const { rows: wrong } = await client.query(
      `select from notification_counts k where total <> (select count(*) from notifications n where n.member_id = k.member_id)
         or unread <> (select count(*) from notifications n where n.member_id = k.member_id and read_at is null)`,
    );
    expect(wrong).to.have.length(0);
  });

  it('adds a text with a picture at the address of the service', async () => {
    const { rows } = await client.query(`select id, content from articles where content like '%/images/%'`);
    expect(rows).to.have.length(1);
    expect(rows[0].content).not.to.include('http');
    const { body } = await call(app.url, `GET /api/articles/${rows[0].id}/rendered`);
    const [, src] = /<img [^>]*src="([^"]+)"/.exec(body?.data.contentHtml) ?? [];
    expect(src).to.match(new RegExp(`^${app.url}/images/`));
    expect((await fetch(src ?? '')).status).to.equal(200);
  });

  it('adds articles that are found by date, tag and word in both languages', async () => {
    const list = async (query: string) => (await call(app.url, `GET /api/articles?${query}`)).body?.data;
    const { contents, pagination } = await list('size=50');
    expect(pagination.totalElements).to.equal(45);
    const dates = contents.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(dates).to.deep.equal([...dates].sort().reverse());
    expect(new Set(dates.map((date: string) => date.slice(0, 7))).size).to.be.at.least(4);
    for (const { createdAt, updatedAt, excerpt } of contents) {
      expect(updatedAt).to.equal(createdAt);
      expect(excerpt).to.not.equal('');
    }
    expect((await list(`tag=${encodeURIComponent('번역')}`)).pagination.totalElements).to.equal(4);
    expect((await list('keyword=toaster')).pagination.totalElements).to.be.at.least(2);
    expect((await list(`keyword=${encodeURIComponent('뚝배기')}`)).pagination.totalElements).to.equal(1);
  });

  it('adds an article with a picture, which browsers load in the size that they need', async () => {
    const found = await call(app.url, 'GET /api/articles?keyword=Altnabreac');
    const rendered = await call(app.url, `GET /api/articles/${found.body?.data.contents[0].id}/rendered`);
    const [, srcset = ''] = /<img [^>]*srcset="([^"]+)"/.exec(rendered.body?.data.contentHtml) ?? [];
    const sizes = srcset.split(', ').map((size) => size.split(' '));
    expect(sizes.map(([, width]) => width)).to.deep.equal(['320w', '640w', '1280w', '1600w']);
    for (const [url = ''] of sizes) {
      const response = await fetch(app.url + new URL(url).pathname);
      expect([response.status, response.headers.get('Content-Type')]).to.deep.equal([200, 'image/webp']);
    }
    expect(await count('images where unreferenced_at is null')).to.equal(1);
  });

  const dataOf = async (path: string, email?: string) => {
    const json = { email, password: 'an owl in the attic' };
    const token = email && (await call(app.url, 'POST /api/auth/login', { json })).body?.data.accessToken;
    const { status, body } = await call(app.url, `GET ${path}`, token ? { token } : {});
    expect(status, path).to.equal(200);
    return body?.data;
  };

  it('adds something for every page of a front end', async () => {
    const [liked, viewed] = [
      await dataOf('/api/articles?sort=likeCount,desc&period=week'),
      await dataOf('/api/articles?sort=viewCount,desc&period=week'),
    ];
    expect(liked.contents[0].likeCount).to.be.above(2);
    expect(viewed.contents[0].viewCount).to.be.above(5);
    const all = (await dataOf('/api/articles?size=50')).contents;
    expect(
      all.filter(
        ({ articleImg, articleImgAlt }: { articleImg: string; articleImgAlt: string }) => articleImg && articleImgAlt,
      ),
    ).to.have.length(5);
    const seriesIds = all.flatMap(({ seriesId }: { seriesId: number | null }) => seriesId ?? []);
    expect(new Set(seriesIds).size).to.equal(2);
    const series = await dataOf(`/api/series/${seriesIds[0]}`);
    expect(series.articleCount).to.be.above(2);
    const [arabic] = (await dataOf('/api/articles?language=ar')).contents;
    const { translations } = await dataOf(`/api/articles/${arabic.id}`);
    expect(translations).to.have.nested.property('[0].title', 'The night the whole class saw Saturn');
    expect(await dataOf(`/api/members/${series.memberId}`))
      .to.have.property('followerCount')
      .above(0);
  });

  it('adds private, scheduled and unfinished texts of their authors', async () => {
    const seen = async (key: string) => {
      const email = `${key}@example.org`;
      const [own, drafts] = [
        await dataOf('/api/articles/me?visibility=PRIVATE', email),
        await dataOf('/api/drafts', email),
      ];
      const scheduled = drafts.contents.filter(({ publishAt }: { publishAt: string | null }) => publishAt !== null);
      return [own.pagination.totalElements, drafts.contents.length, scheduled.length];
    };
    expect([await seen('priya'), await seen('jonas'), await seen('theo')]).to.deep.equal([
      [1, 0, 0],
      [0, 1, 1],
      [0, 1, 0],
    ]);
  });

  it('adds what waits for the moderator, and for the author of an article', async () => {
    const { contents } = await dataOf('/api/moderation/queue', 'seojin@example.org');
    expect(contents).to.have.length.above(1);
    const held = await dataOf('/api/comments/me/received?held=true', 'theo@example.org');
    expect(held.contents).to.have.length(2);
  });

  it('adds nothing the second time', async () => {
    const stderr = 'The sample journal exists already: nothing was added.\n';
    const files = await readdir(join(app.dataDir, 'images'));
    expect(await seed('--add')).to.deep.equal({ code: 1, stdout: '', stderr });
    expect(await count('articles')).to.equal(45);
    expect(await readdir(join(app.dataDir, 'images'))).to.have.members(files);
  });

  it('adds the journal once when run twice at the same time, with the given password', async () => {
    const DATABASE_URL = await emptyDatabase('daybook_seed_twice');
    const both = await Promise.all(
      [1, 2].map(
        () => startDaybook(['seed', '--password', 'an owl in the attic'], { ...environment, DATABASE_URL }).result,
      ),
    );
    expect(both.map(({ code }) => code).sort()).to.deep.equal([0, 1]);
    expect(both.map(({ stdout }) => stdout).join(''))
      .to.match(ADDED)
      .and.match(/\nwith the password {2}an owl in the attic\n/);
  });
});
