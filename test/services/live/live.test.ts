/** Live notifications over both transports: each once, in order, and only those of the member. */
import { expect } from 'chai';
import { NOTIFICATIONS_AFTER } from '../../../src/models/notification/list.js';
import { useApp } from '../../support/app.js';
import { buildArticle, buildComment } from '../../support/build.js';
import { closeLiveClients, FOLLOWERS } from '../../support/live.js';
import { insertNotifications, notificationsOf, setNotificationType } from '../../support/notifications.js';
import { statementsDuring } from '../../support/statements.js';

for (const [transport, follow] of Object.entries(FOLLOWERS)) {
  describe(`Live notifications over ${transport}`, () => {
    const app = useApp();
    afterEach(closeLiveClients);

    const idsOf = (notifications: readonly { id: number }[]) => notifications.map(({ id }) => Number(id));

    it('deliver new notifications, oldest first', async () => {
      const { id, author } = await buildArticle(app.url);
      await buildComment(app.url, id);
      const client = await follow(app.url, author.token);
      const contents = [];
      for (let n = 0; n < 3; n++) contents.push((await buildComment(app.url, id)).id);
      const received = await client.count(3);
      const listed = await notificationsOf(app.url, author);
      expect(idsOf(received)).to.deep.equal(idsOf(listed).slice(0, 3).reverse());
      expect(received.map(({ commentId }) => Number(commentId))).to.deep.equal(contents);
      expect(received[0]?.message).to.equal(listed[2]?.message);
    });

    it('start after the last notification id that the client sends', async () => {
      const article = await buildArticle(app.url);
      await insertNotifications(app, article, 5);
      const known = idsOf(await notificationsOf(app.url, article.author)).reverse();
      const client = await follow(app.url, article.author.token, { after: known[1] ?? 0 });
      await insertNotifications(app, article, 1);
      const [last] = await notificationsOf(app.url, article.author);
      expect(idsOf(await client.count(4))).to.deep.equal([...known.slice(2), last?.id]);
    });

    it('start with the oldest notification after id 0, for any number of them', async () => {
      const article = await buildArticle(app.url);
      await insertNotifications(app, article, 230);
      const client = await follow(app.url, article.author.token, { after: 0 });
      await insertNotifications(app, article, 20);
      const ids = idsOf(await client.count(250));
      expect(new Set(ids).size).to.equal(250);
      expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
    });

    it('deliver new notifications to a client that sends an id in the future', async () => {
      const article = await buildArticle(app.url);
      await insertNotifications(app, article, 1);
      const client = await follow(app.url, article.author.token, { after: 2 ** 52 });
      await insertNotifications(app, article, 2);
      const [last, first] = idsOf(await notificationsOf(app.url, article.author));
      expect(idsOf(await client.count(2))).to.deep.equal([first, last]);
    });

    it('reach all clients of a member with a single read', async () => {
      const article = await buildArticle(app.url);
      const opening = Array.from({ length: 10 }, () => follow(app.url, article.author.token, { after: 0 }));
      const clients = await Promise.all(opening);
      const notify = async (times: number) => {
        await insertNotifications(app, article, 1);
        for (const client of clients) await client.count(times);
      };
      await notify(1);
      const texts = await statementsDuring(() => notify(2));
      for (const { received } of clients) expect(received).to.deep.equal(clients[0]?.received);
      // A read for the previous notification may still be in progress.
      const reads = texts.filter((text) => text === NOTIFICATIONS_AFTER.text);
      expect(reads).to.have.length.within(1, 2);
    });

    it('exclude notifications of other members and disabled types', async () => {
      const [mine, theirs] = [await buildArticle(app.url), await buildArticle(app.url)];
      const client = await follow(app.url, mine.author.token, { after: 0 });
      await buildComment(app.url, theirs.id);
      await setNotificationType(app.url, mine.author, 'COMMENT', false);
      await buildComment(app.url, mine.id);
      await setNotificationType(app.url, mine.author, 'COMMENT', true);
      const last = await buildComment(app.url, mine.id);
      const received = await client.count(1);
      expect(received.map(({ commentId }) => Number(commentId))).to.deep.equal([last.id]);
    });
  });
}
