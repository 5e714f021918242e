/** The feed of changes while the service and the embedded PostgreSQL are killed. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { models } from '../../src/models/index.js';
import { openDatabase } from '../../src/platform/database/pool.js';
import { MANY_REGISTRATIONS } from '../support/app.js';
import { type BuiltArticle, buildArticle, buildMember } from '../support/build.js';
import { ChangesCopy, freshCopy, publicJournal } from '../support/changes.js';
import { findServer, readyServer, serverUrl } from '../support/embedded-server.js';
import { makeFolder } from '../support/folder.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { freePort } from '../support/server.js';
import { until } from '../support/until.js';

/** Overridden to repeat it more often. */
const KILLS = Number(process.env.CHANGES_KILLS ?? 12);
const WRITERS = 2;
/** After a request without a response, as the process may be starting, and after a page that is the last one. */
const PAUSE_MS = 20;

describe('A copy that follows the feed of changes', function () {
  this.timeout(300_000);
  let dataDir: string;
  let environment: Record<string, string>;
  let service: ServiceProcess;

  before(async () => {
    dataDir = await makeFolder();
    const limits = { LIMIT_WRITES: '1000000/1h', LIMIT_REGISTER: MANY_REGISTRATIONS };
    environment = { DATA_DIR: dataDir, PORT: String(await freePort()), ...limits };
    await start();
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    const server = await findServer(dataDir);
    if (server) process.kill(server.pid, 'SIGKILL');
  });

  async function start(): Promise<void> {
    service = await startProcess(environment);
    await service.waitForOutput('Daybook is ready.');
  }

  it(`equals the journal after ${KILLS} kills of the service and of PostgreSQL during writes and reads`, async () => {
    const { url } = service;
    const authors = [];
    for (let count = 0; count < WRITERS; count++) authors.push(await buildMember(url));
    const articles: BuiltArticle[] = [];
    for (let count = 0; count < 10; count++)
      articles.push(await buildArticle(url, {}, authors[count % WRITERS] ?? authors[0]));

    const done = { writes: 0, pages: 0 };
    const wrong: string[] = [];
    let isOver = false;
    const repeat = async (work: () => Promise<void>) => {
      while (!isOver) await work().catch(() => delay(PAUSE_MS));
    };
    let step = 0;
    const write = async () => {
      const article = articles[step % articles.length];
      if (!article) throw new Error('no article');
      const { token } = article.author;
      const path = `/api/articles/${article.id}`;
      const requests: [target: string, json: object][] = [
        [`POST ${path}/comments`, { content: `Comment ${step}` }],
        [`PUT ${path}`, { title: `Title ${step}`, content: `Content ${step}` }],
        [`PUT ${path}/visibility`, { visibility: step % 4 === 0 ? 'PRIVATE' : 'PUBLIC' }],
        ['POST /api/articles', { title: `Other ${step}`, content: 'Other' }],
        ['PATCH /api/members/me', { bio: `Bio ${step}` }],
      ];
      // Each article gets each of the requests.
      const [target, json] = requests[Math.floor(step++ / 7) % requests.length] ?? ['', {}];
      const [method = '', address = ''] = target.split(' ');
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
      const response = await fetch(url + address, { method, headers, body: JSON.stringify(json) });
      await response.text();
      if (response.ok) done.writes++;
      else if (response.status !== 503) wrong.push(`${target}: ${response.status}`);
      if (!response.ok) await delay(PAUSE_MS);
    };
    const copy = new ChangesCopy(url, 7);
    const clients = [
      ...Array.from({ length: WRITERS }, () => repeat(write)),
      repeat(async () => {
        const hasMore = await copy.followPage();
        done.pages++;
        if (!hasMore) await delay(PAUSE_MS);
      }),
    ];

    for (let kill = 0; kill < KILLS; kill++) {
      const { writes, pages } = done;
      const progress = 1 + ((kill * 7) % 10);
      await until(() => done.writes >= writes + progress && done.pages >= pages + progress);
      const { pid } = await readyServer(dataDir);
      if (kill % 2 === 0) {
        process.kill(pid, 'SIGKILL');
        await readyServer(dataDir, pid);
        continue;
      }
      service.child.kill('SIGKILL');
      await service.ended;
      // Sometimes both.
      if (kill % 4 === 1) process.kill(pid, 'SIGKILL');
      await start();
    }
    isOver = true;
    await Promise.all(clients);
    expect(wrong).to.deep.equal([]);

    const database = openDatabase(await serverUrl(dataDir), { models, poolSize: 2, statementTimeoutMs: 10_000 });
    try {
      await until(async () => (await database.sequelize.query('select from change_log limit 1'))[0].length === 0);
      await copy.follow();
      const expected = await publicJournal({ url, database });
      expect(Object.keys(expected)).to.have.lengthOf.above(KILLS);
      expect(copy.contents()).to.deep.equal(expected);
      expect((await freshCopy(url)).contents()).to.deep.equal(expected);
    } finally {
      await database.close();
    }
  });
});
