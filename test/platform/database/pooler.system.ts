/** Processes of the service whose connections to PostgreSQL pass through PgBouncer. */
import { expect } from 'chai';
import { buildArticle, buildComment } from '../../support/build.js';
import { call, graphql } from '../../support/client.js';
import { freshDatabase } from '../../support/database.js';
import { closeLiveClients, followEvents } from '../../support/live.js';
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.js';
import { startService } from '../../support/process.js';
import { describeWith } from '../../support/programs.js';
import { summaryOf } from '../../support/summaries.js';
import { until } from '../../support/until.js';

describeWith(['pgbouncer'], 'The service behind PgBouncer', function () {
  this.timeout(90_000);
  let direct: string;
  let pooler: PgBouncer | undefined;
  before(async () => {
    direct = await freshDatabase('served_behind_pooler');
  });
  afterEach(async () => {
    closeLiveClients();
    await pooler?.stop();
  });

  for (const workers of ['1', '2']) {
    it(`serves reads, writes, searches, jobs and streams in session mode, with WORKERS=${workers}`, async () => {
      pooler = await startPgBouncer(direct, { pool_mode: 'session', default_pool_size: 40 });
      const service = await startService(pooler.url, { RESPONSE_CACHE_MB: '0', WORKERS: workers });
      try {
        const { id, author } = await buildArticle(service.url, { tags: ['sea'] });
        const client = await followEvents(service.url, author.token);
        await Promise.all(Array.from({ length: 20 }, () => buildComment(service.url, id)));
        await client.count(20);
        const reads = Array.from({ length: 60 }, (_, index) => {
          const filter = index % 2 ? 'tag: "sea"' : 'keyword: "a"';
          const list = `articles(size: ${1 + (index % 7)}, filter: { ${filter} }) { contents { id tags } }`;
          return graphql(service.url, `{ ${list} comments(articleId: ${id}) { contents { id author { nickname } } } }`);
        });
        for (const { errors } of await Promise.all(reads)) expect(errors).to.equal(undefined);
        await until(async () => (await summaryOf(service.url, id)).status === 'COMPLETED');
        const { status, body } = await call(service.url, `GET /api/articles/${id}/comments?size=50`);
        expect([status, body?.data.contents.length]).to.deep.equal([200, 20]);
      } finally {
        await service.stop();
      }
    });
  }
});
