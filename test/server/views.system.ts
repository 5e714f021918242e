/** Views of articles in real processes: at the full minute, at SIGTERM, and when one is killed. */
import { expect } from 'chai';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { type RunningService, startService } from '../support/process.js';
import { until } from '../support/until.js';
import { view } from '../support/views.js';

describe('Views in several processes', function () {
  this.timeout(180_000);
  let database: string;
  let other: RunningService;
  let article: BuiltArticle;
  const start = () => startService(database, { TRUST_PROXY: '1' });
  const count = async () => (await call(other.url, `GET /api/articles/${article.id}`)).body?.data.viewCount;

  before(async () => {
    database = await freshDatabase('daybook_views');
    other = await start();
    article = await buildArticle(other.url);
  });
  after(() => other.stop());

  it('are written by a stop, and those of a process that is killed are lost', async () => {
    const [stopped, killed] = [await start(), await start()];
    await view(stopped.url, article.id, { address: '192.0.2.1' });
    await stopped.stop();
    expect(await count()).to.equal(1);
    await view(killed.url, article.id, { address: '192.0.2.2' });
    await killed.kill();
    expect(await count()).to.equal(1);
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
