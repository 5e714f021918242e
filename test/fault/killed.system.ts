/** A process that is killed at a certain statement of a write. */
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { describeFault, pause, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { flat } from '../support/images.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';
import { type RunningService, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { summaryOf } from '../support/summaries.js';
import { until } from '../support/until.js';

const TITLE = 'Written while killed';
const LOCKED_JOBS = 'select from graphile_worker._private_jobs where locked_at is not null';

let relay: Relay;
let database: string;
let dataDir: string;
let killed: RunningService;
let other: RunningService;
let observer: pg.Client;
let member: BuiltMember;
/** The process is killed when it sends this text on the connection of the write, before the response of the database reaches it. */
let killsAt = '';
let writing: object | undefined;
let killing: Promise<void> | undefined;

function useProcesses(name: string): void {
  before(async () => {
    [killsAt, writing, killing] = ['', undefined, undefined];
    database = await freshDatabase(name);
    dataDir = await makeFolder();
    relay = await startRelay(
      () => database,
      (sent, connection) => {
        if (sent.includes(TITLE)) writing = connection;
        if (killsAt === '' || killing || connection !== writing || !sent.includes(killsAt)) return false;
        killing = killed.kill();
        return true;
      },
    );
    killed = await startService(relay.through(database), { DATA_DIR: dataDir });
    other = await startService(database, { DATA_DIR: dataDir });
    observer = new pg.Client(database);
    await observer.connect();
    member = await buildMember(other.url);
    // The statements of the write are prepared: each has its name in the first message of a connection only.
    await buildArticle(other.url, {}, member);
    // Its summary, which the process that is killed may make.
    await until(async () => (await observer.query(`${LOCKED_JOBS} or run_at <= now()`)).rows.length === 0);
  });
  after(async () => {
    await observer.end();
    await relay.close();
    await other.stop();
  });
}

/** Sends the request to the process, which is killed at the statement. */
async function write(at: string, body: object): Promise<void> {
  killsAt = at;
  const response = await call(killed.url, 'POST /api/articles', { token: member.token, ...body }).catch(
    () => undefined,
  );
  expect(response, 'a response').to.equal(undefined);
  await killing;
  expect(killing, 'the process was killed').to.not.equal(undefined);
}

const json = { title: TITLE, content: 'The **tide**.' };
const written = async () => (await observer.query('select id::int from articles where title = $1', [TITLE])).rows;
const totals = async () => (await observer.query('select sum(articles)::int as articles from article_totals')).rows[0];

describeFault('killed-before-commit', function (measured) {
  this.timeout(60_000);
  useProcesses('killed_before_commit');

  it('leaves nothing of the write', async () => {
    const before = await totals();
    await write('summarize-article', { json });
    expect(await written()).to.deep.equal([]);
    expect(await totals()).to.deep.equal(before);
    expect((await observer.query(LOCKED_JOBS)).rows).to.deep.equal([]);
    const sentAt = performance.now();
    expect((await call(other.url, 'POST /api/articles', { token: member.token, json })).status).to.equal(201);
    measured(`0 rows, 0 jobs; another process writes the same article in ${seconds(performance.now() - sentAt)}`);
  });
});

describeFault('killed-after-commit', function (measured) {
  this.timeout(60_000);
  useProcesses('killed_after_commit');

  it('leaves the write, whose job another process runs', async () => {
    await write('COMMIT', { json });
    const killedAt = performance.now();
    const [article, ...more] = await until(async () => {
      const rows = await written();
      return rows.length > 0 && rows;
    });
    expect(more).to.deep.equal([]);
    await until(async () => (await summaryOf(other.url, article.id)).status === 'COMPLETED');
    measured(`summary by another process after ${seconds(performance.now() - killedAt)}`);
  });
});

describeFault('killed-in-upload', function (measured) {
  this.timeout(60_000);
  useProcesses('killed_in_upload');

  it('leaves no image behind', async () => {
    const png = await flat(64, 64).png().toBuffer();
    await write('summarize-article', multipart([requestPart(json), filePart(png)]));
    expect(await written()).to.deep.equal([]);
    const images = async () =>
      (await readdir(join(dataDir, 'images')).catch(() => [])).filter((name) => name !== '.tmp');
    expect(await images(), 'stored before the commit').to.not.deep.equal([]);
    // The clean-up runs one hour after the upload.
    await observer.query('update graphile_worker._private_jobs set run_at = now()');
    await until(async () => (await images()).length === 0);
    const response = await call(other.url, 'POST /api/articles', {
      token: member.token,
      ...multipart([requestPart(json), filePart(png)]),
    });
    expect(response.status).to.equal(201);
  });

  it('leaves nothing of half a body, and the next start removes temporary files that are an hour old', async () => {
    const receiving = await startService(database, { DATA_DIR: dataDir });
    const images = join(dataDir, 'images');
    const before = await readdir(images);
    const png = await flat(640, 640).png().toBuffer();
    const { headers, body } = multipart([requestPart(json), filePart(png)]);
    const sending = request(`${receiving.url}/api/articles`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${member.token}`, 'Content-Length': body.length },
    });
    const closed = once(sending, 'error');
    sending.write(body.subarray(0, body.length / 2));
    await pause(500);
    await receiving.kill();
    await closed;
    expect(await readdir(images)).to.deep.equal(before);
    for (const [name, ageMs] of [
      ['old', 3_700_000],
      ['new', 0],
    ] as const) {
      const path = join(images, `${name}.webp.part`);
      await writeFile(path, png.subarray(0, png.length / 2));
      await utimes(path, new Date(), new Date(Date.now() - ageMs));
    }
    const startedAt = performance.now();
    const next = await startService(database, { DATA_DIR: dataDir });
    measured(`the next process serves ${seconds(performance.now() - startedAt)} after its start`);
    expect((await readdir(images)).sort()).to.deep.equal([...before, 'new.webp.part'].sort());
    await next.stop();
    expect(await written(), 'only the article of the test before').to.have.lengthOf(1);
  });
});
