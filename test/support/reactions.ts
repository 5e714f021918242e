/** Random changes of likes, bookmarks, follows, series, blocks and of what they belong to, and a comparison of all counters with the rows. */
import type { SeededRandom } from '../hostile/seeded-random.js';
import { type BuiltArticle, type BuiltMember, buildArticle, buildMember } from './build.js';
import { call } from './client.js';
import { setNotificationType } from './notifications.js';

/** Columns with the id of a member and without a foreign key, by table. */
export const OF_MEMBERS = {
  comments: ['member_id'],
  reactions: ['member_id'],
  follows: ['follower_id', 'member_id'],
  notifications: ['member_id', 'actor_id'],
  article_mentions: ['member_id'],
  comment_mentions: ['member_id'],
  images: ['member_id'],
} as const;

/** Each row that differs from the count of what it counts. */
export const DIFFERENCES = [
  `select 'likes' as counter, a.id from all_articles a left join article_counts c on c.article_id = a.id
   where coalesce(c.likes, 0) <> (select count(*) from reactions where article_id = a.id)`,
  `select 'views', c.article_id from article_counts c
   where c.views <> (select coalesce(sum(views), 0) from article_view_days where article_id = c.article_id)`,
  `select 'place in a series', series_id from all_articles where series_id is not null group by series_id, series_position having count(*) > 1`,
  `select 'bookmarks', m.id from members m left join reader_counts c on c.member_id = m.id
   where coalesce(c.bookmarks, 0) <> (select count(*) from bookmarks where member_id = m.id)`,
  `select 'following', m.id from members m left join reader_counts c on c.member_id = m.id
   where coalesce(c.following, 0) <> (select count(*) from follows where follower_id = m.id)`,
  `select 'followers', c.member_id from member_counts c
   where c.followers <> (select count(*) from follows where member_id = c.member_id)`,
  `select 'articles', c.member_id from member_counts c where (c.articles, c.private_articles) <>
     (select count(*) filter (where not is_private), count(*) filter (where is_private) from all_articles where member_id = c.member_id)`,
  `select 'articles of a category', c.category_id from category_counts c where (c.articles, c.private_articles) <>
     (select count(*) filter (where not is_private), count(*) filter (where is_private) from all_articles where category_id = c.category_id)`,
  `select 'comments', c.member_id from member_counts c where (c.comments, c.received) <>
     ((select count(*) from comments where member_id = c.member_id), (select count(*) from comments where received_by = c.member_id))`,
  `select 'comments of an article', a.id from all_articles a where (a.comment_count, a.top_level_count) <>
     (select count(*) filter (where deleted_at is null), count(*) filter (where parent_id is null) from comments where article_id = a.id)`,
  `select 'notifications', c.member_id from notification_counts c where (c.total, c.unread) <>
     (select count(*), count(*) filter (where read_at is null) from notifications where member_id = c.member_id)`,
  `select 'notification of likes', n.id from notifications n where n.type = 'LIKE'
     and not exists (select from reactions l where l.article_id = n.article_id and l.member_id <> n.member_id)`,
  `select 'notification of a follow', n.id from notifications n where n.type = 'FOLLOW'
     and not exists (select from follows f where f.member_id = n.member_id and f.follower_id = n.actor_id)`,
  `select 'follow beside a block', f.member_id from follows f join blocks b
     on (b.member_id, b.blocked_id) in ((f.follower_id, f.member_id), (f.member_id, f.follower_id))`,
  // Those of an article in this table are deleted by a job.
  `select 'notification of an article', n.id from notifications n left join all_articles a on a.id = n.article_id
   where n.type = 'ARTICLE' and a.is_private is distinct from false and n.article_id not in (select article_id from ended_articles)`,
  ...['reactions', 'bookmarks', 'comments'].map(
    (table) => `select 'row without an article', x.article_id from ${table} x
     where x.article_id not in (select id from all_articles union all select article_id from ended_articles)`,
  ),
  ...Object.entries(OF_MEMBERS).flatMap(([table, columns]) =>
    columns.map(
      (column) => `select 'row without a member', x.${column} from ${table} x
        where x.${column} not in (select id from members union all select id from withdrawn_members)`,
    ),
  ),
].join(' union all ');

export const withdraw = (url: string, { token, password }: BuiltMember) =>
  call(url, 'DELETE /api/members/me', { token, json: { password } });

type Send = () => Promise<{ status: number }>;

/** Members and articles that change at random. Requests that are sent at the same time can concern those that end. */
export class RandomReactions {
  readonly #members: BuiltMember[] = [];
  readonly #articles: BuiltArticle[] = [];

  /** @param urlOf the base URL of the next request */
  constructor(
    readonly random: SeededRandom,
    readonly urlOf: () => string,
  ) {}

  get articleIds(): number[] {
    return this.#articles.map(({ id }) => id);
  }

  /** Adds members and articles in place of those that have ended. */
  async grow(): Promise<void> {
    while (this.#members.length < 8) {
      const member = await buildMember(this.urlOf());
      await setNotificationType(this.urlOf(), member, 'LIKE', true);
      this.#members.push(member);
    }
    while (this.#articles.length < 6)
      this.#articles.push(await buildArticle(this.urlOf(), {}, this.random.pick(this.#members)));
  }

  /** So many changes, and among them a withdrawal and a deletion. */
  changes(count: number): Send[] {
    const { random } = this;
    const changes = Array.from({ length: count }, () => this.#change());
    const [leaving] = this.#members.splice(random.integer(0, this.#members.length - 1), 1) as [BuiltMember];
    const [deleted] = this.#articles.splice(random.integer(0, this.#articles.length - 1), 1) as [BuiltArticle];
    for (let index = this.#articles.length - 1; index >= 0; index--)
      if (this.#articles[index]?.author === leaving) this.#articles.splice(index, 1);
    const { token } = deleted.author;
    const ends: Send[] = [
      () => withdraw(this.urlOf(), leaving),
      () => call(this.urlOf(), `DELETE /api/articles/${deleted.id}`, { token }),
    ];
    return [...changes.slice(0, count / 2), ...ends, ...changes.slice(count / 2)];
  }

  #change(): Send {
    const { random, urlOf } = this;
    const { token } = random.pick(this.#members);
    const method = random.chance(60) ? 'PUT' : 'DELETE';
    const article = random.pick(this.#articles);
    const kind = random.integer(1, 100);
    if (kind <= 45) return () => call(urlOf(), `${method} /api/articles/${article.id}/like`, { token });
    if (kind <= 60) return () => call(urlOf(), `${method} /api/articles/${article.id}/bookmark`, { token });
    if (kind <= 80) {
      const { id } = random.pick(this.#members);
      return () => call(urlOf(), `${method} /api/members/${id}/follow`, { token });
    }
    if (kind <= 84) {
      const { id } = random.pick(this.#members);
      return () => call(urlOf(), `${method} /api/members/${id}/block`, { token });
    }
    if (kind <= 88) return () => call(urlOf(), 'PUT /api/notifications/read', { token });
    if (kind <= 90) {
      const own = this.#articles.filter(({ author }) => author === article.author).map(({ id }) => id);
      const json = { title: 'A series', articleIds: random.chance(50) ? own : own.toReversed() };
      return () => call(urlOf(), 'POST /api/series', { token: article.author.token, json });
    }
    if (kind <= 93) {
      const json = { title: 'Another', content: 'Text', visibility: random.pick(['PUBLIC', 'PRIVATE']) };
      return () => call(urlOf(), 'POST /api/articles', { token, json });
    }
    const { author } = article;
    const json = { visibility: random.pick(['PUBLIC', 'PRIVATE']) };
    return () => call(urlOf(), `PUT /api/articles/${article.id}/visibility`, { token: author.token, json });
  }
}
