/** The retention time of notifications. */
import { expect } from 'chai';
import { schedule, tasks } from '../../src/jobs/tasks.js';
import { useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { call } from '../support/client.js';
import { addJobs, runJobs } from '../support/jobs.js';
import { unreadOf } from '../support/notifications.js';

const app = useApp();

describe('Old notifications', () => {
  it('are deleted after the retention time, read or not, and the counters stay correct', async () => {
    const { id: articleId, author } = await buildArticle(app.url);
    const insert = (days: number, readAt: string) =>
      app.database.sequelize.query(`insert into notifications (member_id, type, article_id, outcome, created_at, read_at)
         select ${author.id}, 'SUMMARY', ${articleId}, 'FAILED', now() - interval '${days} days', ${readAt}
         from generate_series(1, 700)`);
    // Ids are ascending in time: the oldest notifications have the lowest.
    await app.database.sequelize.query('delete from notifications');
    await insert(181, 'null');
    await insert(181, 'now()');
    await insert(179, 'null');
    expect(await unreadOf(app.url, author)).to.equal(1_400);
    await addJobs(app.database, 'delete-old-notifications', [{}]);
    await runJobs(app);
    expect(await unreadOf(app.url, author)).to.equal(700);
    const { body } = await call(app.url, 'GET /api/notifications', { token: author.token });
    expect(body?.data.pagination.totalElements).to.equal(700);
  });

  it('are cleaned up every day', () => {
    expect(schedule.map(({ task }) => task)).to.include('delete-old-notifications');
    for (const { task } of schedule) expect(tasks).to.have.property(task);
  });
});
