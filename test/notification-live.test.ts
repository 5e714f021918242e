/** Live notifications as clients of either kind get them: each once, in order, one's own alone. */
import { expect } from 'chai';
import { useApp } from './support/app.js';
import { buildArticle, buildComment } from './support/build.js';
import { closeLiveClients, FOLLOWERS } from './support/live.js';
import { notificationsOf, switchType, tellOften } from './support/notifications.js';
import { statementsDuring } from './support/statements.js';

for (const [surface, follow] of Object.entries(FOLLOWERS)) {
  describe(`Live notifications over ${surface}`, () => {
    const app = useApp();
    afterEach(closeLiveClients);

    const idsOf = (notifications: readonly { id: number }[]) => notifications.map(({ id }) => Number(id));

    it('tell what happens from now on, in the order of the list', async () => {
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

    it('begin after the last one that the client knows', async () => {
      const article = await buildArticle(app.url);
      await tellOften(app, article, 5);
      const known = idsOf(await notificationsOf(app.url, article.author)).reverse();
      const client = await follow(app.url, article.author.token, { after: known[1] ?? 0 });
      await tellOften(app, article, 1);
      const [last] = await notificationsOf(app.url, article.author);
      expect(idsOf(await client.count(4))).to.deep.equal([...known.slice(2), last?.id]);
    });

    it('begin with the first one after 0, however many there are', async () => {
      const article = await buildArticle(app.url);
      await tellOften(app, article, 230);
      const client = await follow(app.url, article.author.token, { after: 0 });
      await tellOften(app, article, 20);
      const ids = idsOf(await client.count(250));
      expect(new Set(ids).size).to.equal(250);
      expect(ids).to.deep.equal([...ids].sort((a, b) => a - b));
    });

    it('go on from now where the client claims to know what has not been', async () => {
      const article = await buildArticle(app.url);
      await tellOften(app, article, 1);
      const client = await follow(app.url, article.author.token, { after: 2 ** 52 });
      await tellOften(app, article, 2);
      const [last, first] = idsOf(await notificationsOf(app.url, article.author));
      expect(idsOf(await client.count(2))).to.deep.equal([first, last]);
    });

    it('go to every client of the member, read once for all of them', async () => {
      const article = await buildArticle(app.url);
      const opening = Array.from({ length: 10 }, () => follow(app.url, article.author.token, { after: 0 }));
      const clients = await Promise.all(opening);
      const tell = async (times: number) => {
        await tellOften(app, article, 1);
        for (const client of clients) await client.count(times);
      };
      await tell(1);
      const texts = await statementsDuring(() => tell(2));
      for (const { received } of clients) expect(received).to.deep.equal(clients[0]?.received);
      // One more may still be on its way from the time before.
      const reads = texts.filter((text) => text.includes('unnest($1::bigint[], $2::bigint[]) as w'));
      expect(reads).to.have.length.within(1, 2);
    });

    it('leave out what is told to others, and types that are switched off', async () => {
      const [mine, theirs] = [await buildArticle(app.url), await buildArticle(app.url)];
      const client = await follow(app.url, mine.author.token, { after: 0 });
      await buildComment(app.url, theirs.id);
      await switchType(app.url, mine.author, 'COMMENT', false);
      await buildComment(app.url, mine.id);
      await switchType(app.url, mine.author, 'COMMENT', true);
      const last = await buildComment(app.url, mine.id);
      const received = await client.count(1);
      expect(received.map(({ commentId }) => Number(commentId))).to.deep.equal([last.id]);
    });
  });
}
