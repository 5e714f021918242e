/** Views of articles in real processes: at the full minute, at SIGTERM, and when a process or PostgreSQL is killed. */
import { expect } from 'chai';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { readyServer } from '../support/embedded-server.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, type ServiceProcess, startProcess, startService } from '../support/process.js';
import { until } from '../support/until.js';
import { view } from '../support/views.js';

describe('Views in several processes', function () {
  this.timeout(180_000);
  let database: string;
  let other: RunningService;
  let article: BuiltArticle;
  const start = () => startService(database, { TRUST_PROXY: '1' });
  const minuteNow = () => Math.floor(Date.now() / 60_000);
  const count = async () => (await call(other.url, `GET /api/articles/${article.id}`)).body?.data.viewCount;

  before(async () => {
    database = await freshDatabase('daybook_views');
    other = await start();
    article = await buildArticle(other.url);
  });
  after(() => other.stop());

  it('are written by a stop, and those of a process that is killed are lost', async () => {
    const stopped = await start();
    await view(stopped.url, article.id, { address: '192.0.2.1' });
    await stopped.stop();
    expect(await count()).to.equal(1);
    await until(async () => {
      const [known, killed] = [await count(), await start()];
      const minute = minuteNow();
      await view(killed.url, article.id, { address: '192.0.2.2' });
      await killed.kill();
      // At the full minute, it has written them.
      if (minuteNow() !== minute) return false;
      expect(await count()).to.equal(known);
      return true;
    });
  });

  it('are written at the full minute, together once for each reader', async () => {
    const second = await start();
    const known = await count();
    try {
      for (const [index, { url }] of [other, second].entries())
        for (const address of ['192.0.2.3', `192.0.2.${4 + index}`]) await view(url, article.id, { address });
      await until(async () => (await count()) === known + 3, 120_000);
    } finally {
      await second.stop();
    }
    expect(await count()).to.equal(known + 3);
  });
});

describe('Views when PostgreSQL is killed', function () {
  this.timeout(180_000);
  let dataDir: string;
  let service: ServiceProcess;
  const start = async () => {
    service = await startProcess({ HOST: '127.0.0.1', DATA_DIR: dataDir, TRUST_PROXY: '1' });
    await service.waitForOutput('Daybook is ready.');
  };
  const stop = async () => {
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
  };

  before(async () => {
    dataDir = await makeFolder();
    await start();
  });
  after(stop);

  it('wait in memory, and a reader who was counted before counts at most once more', async () => {
    const { id } = await buildArticle(service.url);
    const send = (host: number) => view(service.url, id, { address: `192.0.2.${host}` });
    const count = async () => {
      await stop();
      await start();
      return (await call(service.url, `GET /api/articles/${id}`)).body?.data.viewCount;
    };
    await send(1);
    expect(await count()).to.equal(1);
    await send(2);
    const { pid: killed } = await readyServer(dataDir);
    process.kill(killed, 'SIGKILL');
    expect([await send(3), await send(1)]).to.deep.equal([204, 204]);
    await readyServer(dataDir, killed);
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200);
    expect(await count()).to.be.within(3, 4);
    for (const host of [1, 2, 3]) await send(host);
    expect(await count()).to.be.within(3, 4);
  });
});
