/** Counters of likes, bookmarks and follows after random and parallel changes, among them blocks. */
import { expect } from 'chai';
import { randomFrom } from '../hostile/seeded-random.js';
import { useApp } from '../support/app.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { rowsOf } from '../support/imported.js';
import { notificationsOf, setNotificationType, unreadOf } from '../support/notifications.js';
import { casesOf } from '../support/tier.js';

const CASES = casesOf('REACTION_CASES', 300, 3_000);
const SEED = Number(process.env.REACTION_SEED ?? 20_261_123);
const AT_ONCE = 100;

const app = useApp({ LIMIT_WRITES: '1000000/1m' });

/** Each row that differs from the count of what it counts. */
const DIFFERENCES = [
  `select 'likes', a.id from all_articles a left join article_counts c on c.article_id = a.id
   where coalesce(c.likes, 0) <> (select count(*) from article_likes where article_id = a.id)`,
  `select 'bookmarks', m.id from members m left join reader_counts c on c.member_id = m.id
   where coalesce(c.bookmarks, 0) <> (select count(*) from bookmarks where member_id = m.id)`,
  `select 'following', m.id from members m left join reader_counts c on c.member_id = m.id
   where coalesce(c.following, 0) <> (select count(*) from follows where follower_id = m.id)`,
  `select 'followers', c.member_id from member_counts c
   where c.followers <> (select count(*) from follows where member_id = c.member_id)`,
  `select 'notifications', c.member_id from notification_counts c where (c.total, c.unread) <>
     (select count(*), count(*) filter (where read_at is null) from notifications where member_id = c.member_id)`,
  `select 'notification of likes', n.id from notifications n where n.type = 'LIKE'
     and not exists (select from article_likes l where l.article_id = n.article_id and l.member_id <> n.member_id)`,
  `select 'notification of a follow', n.id from notifications n where n.type = 'FOLLOW'
     and not exists (select from follows f where f.member_id = n.member_id and f.follower_id = n.actor_id)`,
  `select 'follow beside a block', f.member_id from follows f join blocks b
     on (b.member_id, b.blocked_id) in ((f.follower_id, f.member_id), (f.member_id, f.follower_id))`,
];

const differences = async () => (await Promise.all(DIFFERENCES.map((sql) => rowsOf(app.database, sql)))).flat();

const withdraw = ({ token, password }: BuiltMember) =>
  call(app.url, 'DELETE /api/members/me', { token, json: { password } });

describe('Counters of readers', function () {
  this.timeout(300_000);

  it(`are exact after ${CASES} random changes, ${AT_ONCE} at a time (seed ${SEED})`, async () => {
    const random = randomFrom(SEED);
    const members: BuiltMember[] = [];
    const articles: BuiltArticle[] = [];
    const grow = async () => {
      while (members.length < 8) {
        const member = await buildMember(app.url);
        await setNotificationType(app.url, member, 'LIKE', true);
        members.push(member);
      }
      while (articles.length < 6) articles.push(await buildArticle(app.url, {}, random.pick(members)));
    };
    const changeOf = (): (() => Promise<{ status: number }>) => {
      const { token } = random.pick(members);
      const method = random.chance(60) ? 'PUT' : 'DELETE';
      const article = random.pick(articles);
      const kind = random.integer(1, 100);
      if (kind <= 50) return () => call(app.url, `${method} /api/articles/${article.id}/like`, { token });
      if (kind <= 65) return () => call(app.url, `${method} /api/articles/${article.id}/bookmark`, { token });
      if (kind <= 85) {
        const { id } = random.pick(members);
        return () => call(app.url, `${method} /api/members/${id}/follow`, { token });
      }
      if (kind <= 89) {
        const { id } = random.pick(members);
        return () => call(app.url, `${method} /api/members/${id}/block`, { token });
      }
      if (kind <= 93) return () => call(app.url, 'PUT /api/notifications/read', { token });
      const { author } = article;
      const json = { visibility: random.pick(['PUBLIC', 'PRIVATE']) };
      return () => call(app.url, `PUT /api/articles/${article.id}/visibility`, { token: author.token, json });
    };
    for (let sent = 0; sent < CASES; sent += AT_ONCE) {
      await grow();
      const changes = Array.from({ length: AT_ONCE }, changeOf);
      const [leaving] = members.splice(random.integer(0, members.length - 1), 1);
      const [deleted] = articles.splice(random.integer(0, articles.length - 1), 1);
      const ends = [
        () => (leaving ? withdraw(leaving) : Promise.resolve({ status: 200 })),
        () => call(app.url, `DELETE /api/articles/${deleted?.id}`, { token: deleted?.author.token ?? '' }),
      ];
      const responses = await Promise.all(
        [...changes.slice(0, 50), ...ends, ...changes.slice(50)].map((send) => send()),
      );
      expect(responses.filter(({ status }) => status >= 500)).to.deep.equal([]);
      expect(await differences(), `after ${sent + AT_ONCE} changes`).to.deep.equal([]);
      for (let index = articles.length - 1; index >= 0; index--)
        if (articles[index]?.author === leaving) articles.splice(index, 1);
    }
  });

  it('are exact after 1,000 parallel toggles of one article and one member, and withdrawals, with one notification', async () => {
    const article = await buildArticle(app.url);
    const { author } = article;
    await setNotificationType(app.url, author, 'LIKE', true);
    const readers: BuiltMember[] = [];
    for (let count = 0; count < 20; count++) readers.push(await buildMember(app.url));
    const toggles = Array.from({ length: 1_000 }, (_, index) => {
      const { token } = readers[index % readers.length] as BuiltMember;
      const target = index % 4 < 2 ? `/api/articles/${article.id}/like` : `/api/members/${author.id}/follow`;
      return call(app.url, `${Math.floor(index / 20) % 3 === 1 ? 'DELETE' : 'PUT'} ${target}`, { token });
    });
    const leaving = readers.slice(0, 5);
    const responses = await Promise.all([...toggles, ...leaving.map(withdraw)]);
    expect(new Set(responses.map(({ status }) => status))).to.satisfy((found: Set<number>) =>
      [...found].every((status) => status === 200 || status === 401),
    );
    expect(await differences()).to.deep.equal([]);
    const left = readers.slice(5);
    const likes = await Promise.all(
      left.map(({ token }) => call(app.url, `PUT /api/articles/${article.id}/like`, { token })),
    );
    expect(Math.max(...likes.map(({ body }) => body?.data.likeCount))).to.equal(left.length);
    const found = (await notificationsOf(app.url, author)).filter(({ type }) => type === 'LIKE');
    expect(found.map(({ message }) => message)).to.deep.equal([
      `${left.length} members like your article “${(await call(app.url, `GET /api/articles/${article.id}`)).body?.data.title}”.`,
    ]);
    expect(await unreadOf(app.url, author)).to.equal((await notificationsOf(app.url, author)).length);
  });

  it('answer parallel likes with distinct numbers', async () => {
    const { id } = await buildArticle(app.url);
    const readers: BuiltMember[] = [];
    for (let count = 0; count < 10; count++) readers.push(await buildMember(app.url));
    const likes = await Promise.all(
      readers.map(({ token }) => call(app.url, `PUT /api/articles/${id}/like`, { token })),
    );
    const counts = likes.map(({ body }) => Number(body?.data.likeCount)).sort((a, b) => a - b);
    expect(counts).to.deep.equal(Array.from({ length: 10 }, (_, index) => index + 1));
  });
});
