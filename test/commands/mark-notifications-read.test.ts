/** Marking many notifications as read: bounded work for any number of rows. */
import { expect } from 'chai';
import { useApp } from '../support/app.js';
import { buildArticle, buildComment } from '../support/build.js';
import { call } from '../support/client.js';

const app = useApp();

describe('Marking all notifications as read', () => {
  it('runs in batches with a transaction each', async () => {
    const { id, author } = await buildArticle(app.url);
    await buildComment(app.url, id);
    await app.database.sequelize.query(`insert into notifications (member_id, type, article_id) select member_id, 'COMMENT', article_id
       from notifications, generate_series(1, 1050)`);
    const { status } = await call(app.url, 'PUT /api/notifications/read', { token: author.token });
    expect(status).to.be.within(200, 204);
    const [counts] =
      await app.database.sequelize.query(`select total, unread, (select count(distinct xmin::text) from notifications n where n.member_id = c.member_id) as transactions
       from notification_counts c where member_id = ${author.id}`);
    expect(counts).to.deep.equal([{ total: 1_051, unread: 0, transactions: 2 }]);
  });
});
