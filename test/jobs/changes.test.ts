import { expect } from 'chai';
import { startChanges } from '../../src/jobs/changes.js';
import { deleteOldRemovals } from '../../src/jobs/cleanup.js';
import { NUMBER_CHANGES } from '../../src/models/change.js';
import { useApp } from '../support/app.js';
import { buildArticle, useMember } from '../support/build.js';
import { brief, numberChanges, readPage } from '../support/changes.js';
import { call } from '../support/client.js';
import { scrape } from '../support/metrics.js';
import { until } from '../support/until.js';

describe('The numbers of changes', () => {
  const app = useApp({ CHANGES_RETENTION: '30d' });
  const author = useMember(app);

  it('are given by the service, and those that wait are in the metrics', async () => {
    await numberChanges(app.database);
    const { cursor } = await readPage(app.url, { since: 'latest' });
    const other = await app.database.sequelize.transaction();
    // As another process that gives numbers.
    await app.database.sequelize.query('select pg_advisory_xact_lock(4270012)', { transaction: other });
    const stop = startChanges(app.services);
    const article = await buildArticle(app.url, {}, author);
    expect(await app.database.query(NUMBER_CHANGES, [10])).to.deep.equal([{ taken: null }]);
    const waiting = await scrape(app.url);
    expect(waiting.value('daybook_changes_waiting')).to.be.above(0);
    expect(waiting.value('daybook_changes_oldest_seconds')).to.be.above(0);
    await other.commit();
    await until(async () => (await readPage(app.url, { since: cursor })).changes.length > 0);
    expect((await readPage(app.url, { since: cursor })).changes.map(brief)).to.deep.equal([
      `article ${article.id} created`,
    ]);
    expect((await scrape(app.url)).value('daybook_changes_waiting')).to.equal(0);
    await stop();
  });

  it('of removals are kept for CHANGES_RETENTION', async () => {
    const article = await buildArticle(app.url, {}, author);
    await numberChanges(app.database);
    await call(app.url, `DELETE /api/articles/${article.id}`, { token: author.token });
    await numberChanges(app.database);
    const removals = async () =>
      ((await app.database.sequelize.query('select id from changes where is_removed'))[0] as object[]).length;
    for (const [days, left] of [
      [29, 1],
      [2, 0],
    ] as const) {
      await app.database.sequelize.query(`update changes set changed_at = changed_at - interval '${days} days'`);
      await deleteOldRemovals({}, app.services);
      expect(await removals(), `${days}`).to.equal(left);
    }
  });
});
