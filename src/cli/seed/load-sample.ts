/** Inserts the sample journal in one transaction, through the same functions as the service. */
import { insertCategory } from '../../commands/category.js';
import { insertArticle } from '../../commands/create-article.js';
import { createComment } from '../../commands/create-comment.js';
import { insertImage, type SavedImage, withImage } from '../../commands/image.js';
import { insertAccount } from '../../commands/register.js';
import { report } from '../../commands/report.js';
import { type Rendered } from '../../models/article/html.js';
import { refreshTrends } from '../../models/article/trend.js';
import { DEFAULT_CATEGORY_NAME } from '../../models/category.js';
import { SCHEDULE_DRAFT } from '../../models/draft/publication.js';
import { SET_ROLE } from '../../models/member/administration.js';
import { ANONYMOUS } from '../../models/reader.js';
import { SAVE_SERIES } from '../../models/series.js';
import { normalizeTags } from '../../models/tag.js';
import { SEED_LOCK } from '../../platform/database/locks.js';
import type { Database, Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { emailKeySql } from '../../platform/email-address.js';
import { OperatorError } from '../../platform/errors.js';
import { prepareImage } from '../../services/images/image.js';
import type { ImageStore, PreparedImage } from '../../services/images/store.js';
import { renderForWrite } from '../../services/rendering/article-html.js';
import { Renderer } from '../../services/rendering/renderer.js';
import { quantity } from '../terminal.js';
import {
  AUTHORS,
  CONTENT_PICTURE,
  DAY_MS,
  emailOf,
  PICTURE,
  readPicture,
  type SeedArticle,
  type SeedAuthor,
  type SeedComment,
  type SeedDraft,
  type SeedEvent,
  timelineOf,
  timeOf,
  writtenAt,
} from './entry.js';

export interface SampleOptions {
  images: ImageStore;
  /** Password hash by member key. */
  passwordHashes: ReadonlyMap<string, string>;
  /** Allows a database that is not empty. */
  mayAdd: boolean;
  now: Date;
  signal: AbortSignal;
  onProgress: (loaded: LoadedSample, total: number) => void;
}

export interface LoadedSample {
  members: number;
  articles: number;
  comments: number;
  notifications: number;
}

/** Serializes concurrent runs: otherwise both would find the database empty. */
const LOCK = statement<[]>('seed_lock', `select pg_advisory_xact_lock(${SEED_LOCK})`);

const COUNT_ROWS = statement<[emails: string[]], { members: number; articles: number; seeded: number }>(
  'seed_count_rows',
  `select (select count(*) from members) as members, (select count(*) from all_articles) as articles,
          (select count(*) from members where ${emailKeySql('email')} = any($1::text[])) as seeded`,
);

/** Dates notifications by their comment, and marks those older than 10 days as read, 5 hours after it. */
const DATE_NOTIFICATIONS = statement<[commentIds: number[], now: Date], { id: number }>(
  'seed_date_notifications',
  `update notifications n set created_at = c.created_at,
     read_at = case when c.created_at < $2::timestamptz - interval '10 days' then c.created_at + interval '5 hours' end
   from comments c where c.id = n.comment_id and c.id = any($1::bigint[]) returning n.id`,
);

/** Members like the articles that they comment on. */
const ADD_LIKES = statement<[commentIds: number[]]>(
  'seed_add_likes',
  `insert into reactions (article_id, kind, member_id, created_at)
   select c.article_id, 'LIKE', c.member_id, min(c.created_at) from comments c join all_articles a on a.id = c.article_id
   where c.id = any($1::bigint[]) and c.member_id <> a.member_id group by 1, 3 order by 1, 3`,
);

/** Members keep the articles on which they comment first. */
const ADD_BOOKMARKS = statement<[commentIds: number[]]>(
  'seed_add_bookmarks',
  `insert into bookmarks (article_id, member_id, created_at)
   select distinct on (c.article_id) c.article_id, c.member_id, c.created_at from comments c join all_articles a on a.id = c.article_id
   where c.id = any($1::bigint[]) and c.member_id <> a.member_id order by c.article_id, c.created_at, c.id`,
);

/** Members follow those on whose articles they comment more than once. */
const ADD_FOLLOWS = statement<[commentIds: number[]]>(
  'seed_add_follows',
  `insert into follows (follower_id, member_id, created_at)
   select c.member_id, a.member_id, max(c.created_at) from comments c join all_articles a on a.id = c.article_id
   where c.id = any($1::bigint[]) and c.member_id <> a.member_id
   group by 1, 2 having count(distinct c.article_id) > 1 order by 1, 2`,
);

/** Views since the publication of public articles: fewer each day, and more of what is liked. */
const ADD_VIEWS = statement<[articleIds: number[], now: Date]>(
  'seed_add_views',
  `with viewed as (
     insert into article_view_days (article_id, day, views)
     select a.id, a.created_at::date + d.n, (9 + 7 * r.likes) / (d.n + 1) + (a.place * 5 + d.n * 3) % 4 + 1
     from (select id, created_at, row_number() over (order by id) as place from articles where id = any($1::bigint[])) a
       join article_counts r on r.article_id = a.id cross join generate_series(0, 200) d (n)
     where a.created_at::date + d.n <= $2::timestamptz::date
     returning article_id, views
   )
   update article_counts r set views = r.views + v.views
   from (select article_id, sum(views) as views from viewed group by 1) v where r.article_id = v.article_id`,
);

const ADD_DRAFT = statement<
  [
    memberId: number,
    title: string,
    content: string,
    category: string,
    tags: readonly string[],
    language: string | null,
  ],
  { id: number }
>(
  'seed_add_draft',
  `insert into drafts (member_id, title, content, category_id, tags, language)
   select $1, $2, $3, (select id from categories where member_id = $1 and name = $4), $5, $6 returning id`,
);

/** @throws OperatorError if the database is not empty, is already seeded, or the process was stopped: then nothing was added */
export async function loadSample(database: Database, options: SampleOptions): Promise<LoadedSample> {
  const { images, mayAdd } = options;
  // Before the pictures are saved, and again under the lock.
  await requireEmpty(database, mayAdd);
  const files = AUTHORS.flatMap(({ articles }) => articles.flatMap(({ picture }) => picture?.file ?? []));
  const loaded = await withPictures({ database, images }, [CONTENT_PICTURE, ...files], async (pictures) => {
    // Without the address of the service, which the settings of this command may not have.
    const texts = await renderArticles(images.url(knownOf(pictures, CONTENT_PICTURE).key, ''));
    return database.transaction(async (db) => {
      await db.query(LOCK, []);
      await requireEmpty(db, mayAdd);
      const writer = new SampleWriter(db, options, texts, pictures);
      for (const author of AUTHORS) await writer.addMember(author);
      await writer.addPicture(knownOf(pictures, CONTENT_PICTURE));
      for (const event of timelineOf(AUTHORS, options.now)) await writer.add(event);
      return writer.finish();
    });
  });
  await refreshTrends(database);
  return loaded;
}

type Picture = SavedImage & { prepared: PreparedImage };

/** Saves the pictures, as `withImage` one. */
async function withPictures<Result>(
  services: Parameters<typeof withImage>[0],
  [file, ...files]: readonly string[],
  write: (pictures: ReadonlyMap<string, Picture>) => Promise<Result>,
): Promise<Result> {
  if (file === undefined) return write(new Map());
  const prepared = await prepareImage(await readPicture(file), { key: 'seed' });
  return withImage(services, prepared, (saved) =>
    withPictures(services, files, (others) => {
      const picture = { ...(saved as SavedImage), prepared };
      return write(new Map([...others, [file, picture]]));
    }),
  );
}

/** The content of an article, and its HTML. */
interface Text {
  content: string;
  rendered: Rendered | null;
}

async function renderArticles(pictureUrl: string): Promise<Map<SeedArticle, Text>> {
  const texts = new Map<SeedArticle, Text>();
  const renderer = new Renderer();
  for (const article of AUTHORS.flatMap(({ articles }) => articles)) {
    const content = article.content.replace(PICTURE, pictureUrl);
    texts.set(article, { content, rendered: await renderForWrite(renderer, content, { key: 'seed' }) });
  }
  await renderer.stop();
  return texts;
}

async function requireEmpty(db: Database, mayAdd: boolean): Promise<void> {
  const emails = AUTHORS.map(({ member }) => emailOf(member.key));
  const [counts] = await db.query(COUNT_ROWS, [emails]);
  const { members = 0, articles = 0, seeded = 0 } = counts ?? {};
  if (seeded > 0) throw new OperatorError('The sample journal exists already: nothing was added');
  if (mayAdd || members + articles === 0) return;
  throw new OperatorError(
    `The database is not empty (${quantity(members, 'member')}, ${quantity(articles, 'article')}): nothing was added. ` +
      'Use --add to add the sample journal nevertheless',
  );
}

class SampleWriter {
  readonly #members = new Map<string, number>();
  readonly #articles = new Map<SeedArticle, number>();
  readonly #comments = new Map<SeedComment, number>();

  constructor(
    private readonly db: Transaction,
    private readonly options: SampleOptions,
    private readonly texts: ReadonlyMap<SeedArticle, Text>,
    private readonly pictures: ReadonlyMap<string, Picture>,
  ) {}

  /** The member is dated one day before the earliest article; without articles, 30 days ago. */
  async addMember({ member, articles }: SeedAuthor): Promise<void> {
    const { key, memberName, nickname, bio, categories, role } = member;
    const passwordHash = this.options.passwordHashes.get(key) ?? null;
    const { now } = this.options;
    const first = Math.min(now.getTime() - 29 * DAY_MS, ...articles.map((article) => writtenAt(article, now)));
    const createdAt = new Date(first - DAY_MS);
    const account = { email: emailOf(key), passwordHash, memberName, nickname, bio, createdAt };
    const { id } = await insertAccount(this.db, account);
    for (const name of categories) await insertCategory(this.db, { memberId: id, credentialId: null }, name);
    if (role) await this.db.query(SET_ROLE, [id, role]);
    this.#members.set(key, id);
  }

  /** Before its article: a trigger derives the reference from the content. */
  async addPicture({ prepared, key }: Picture): Promise<void> {
    const author = AUTHORS.find(({ articles }) => articles.some(({ content }) => content.includes(PICTURE)));
    const memberId = knownOf(this.#members, author?.member.key ?? '');
    await insertImage(this.db, memberId, prepared, key);
  }

  async add(event: SeedEvent): Promise<void> {
    if (this.options.signal.aborted) throw new OperatorError('The command was stopped: nothing was added');
    if (event.kind === 'article') await this.#addArticle(event);
    else await this.#addComment(event);
    this.options.onProgress(this.#count(), this.#total);
  }

  async finish(): Promise<LoadedSample> {
    const { now } = this.options;
    const commentIds = [...this.#comments.values()];
    const dated = await this.db.query(DATE_NOTIFICATIONS, [commentIds, now]);
    for (const change of [ADD_LIKES, ADD_BOOKMARKS, ADD_FOLLOWS]) await this.db.query(change, [commentIds]);
    await this.db.query(ADD_VIEWS, [[...this.#articles.values()], now]);
    for (const author of AUTHORS) {
      await this.#addSeries(author);
      for (const draft of author.drafts) await this.#addDraft(knownOf(this.#members, author.member.key), draft);
    }
    return { ...this.#count(), notifications: dated.length };
  }

  async #addSeries({ member: { key, series }, articles }: SeedAuthor): Promise<void> {
    if (!series) return;
    const { title, description } = series;
    const ids = articles.flatMap((article) => (article.series === title ? knownOf(this.#articles, article) : []));
    await this.db.query(SAVE_SERIES, [knownOf(this.#members, key), null, title, description, ids]);
  }

  async #addDraft(memberId: number, { title, content, category, tags, publish, language }: SeedDraft): Promise<void> {
    const [draft] = await this.db.query(ADD_DRAFT, [memberId, title, content, category, normalizeTags(tags), language]);
    if (!draft || publish === null) return;
    await this.db.query(SCHEDULE_DRAFT, [draft.id, new Date(timeOf(publish, this.options.now, 1)).toISOString()]);
  }

  async #addArticle({ at, by, article }: SeedEvent & { kind: 'article' }): Promise<void> {
    const { title, tags, picture, isPrivate, language, description, translates } = article;
    const category = article.category === DEFAULT_CATEGORY_NAME ? null : article.category;
    const { content, rendered } = knownOf(this.texts, article);
    const visibility = isPrivate ? ('PRIVATE' as const) : ('PUBLIC' as const);
    const input = {
      title,
      content,
      category,
      tags: normalizeTags(tags),
      visibility,
      articleImgAlt: picture?.alt ?? null,
      language,
      description,
      translationOf: translates === null ? null : this.#articleOf(translates),
    };
    const values = { memberId: knownOf(this.#members, by), input, rendered, createdAt: at };
    const saved = picture ? knownOf(this.pictures, picture.file) : undefined;
    const id = await insertArticle(this.db, values, saved);
    this.#articles.set(article, id);
  }

  #articleOf(title: string): number {
    const article = AUTHORS.flatMap(({ articles }) => articles).find((one) => one.title === title);
    return knownOf(this.#articles, article as SeedArticle);
  }

  async #addComment({ at, by, article, comment, parent }: SeedEvent & { kind: 'comment' }): Promise<void> {
    const ids = {
      articleId: knownOf(this.#articles, article),
      parentId: parent ? knownOf(this.#comments, parent) : null,
      memberId: knownOf(this.#members, by),
    };
    const { content, state } = comment;
    const check = state === 'held' ? { isSuspect: true, isForNewcomers: false, spamScore: null } : null;
    const { id } = await createComment(this.db, { ...ids, content, createdAt: at, reader: ANONYMOUS, check });
    this.#comments.set(comment, id);
    if (state !== 'reported') return;
    const author = AUTHORS.find(({ articles }) => articles.includes(article))?.member.key ?? '';
    const reporterId = knownOf(this.#members, author);
    const target = { articleId: null, commentId: id, memberId: null };
    const text = 'An advertisement that has nothing to do with the text.';
    await report(this.db, { reporterId, reader: ANONYMOUS }, { target, reason: 'SPAM', text });
  }

  #count(): LoadedSample {
    const [members, articles, comments] = [this.#members.size, this.#articles.size, this.#comments.size];
    return { members, articles, comments, notifications: 0 };
  }

  get #total(): number {
    return AUTHORS.reduce((sum, { articles }) => sum + articles.length, 0);
  }
}

function knownOf<Key, Value>(known: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = known.get(key);
  if (value === undefined) throw new Error(`the sample journal refers to an unknown key: ${JSON.stringify(key)}`);
  return value;
}
