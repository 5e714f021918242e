/** Inserts the sample journal in one transaction, through the same functions as the service. */
import { insertCategory } from '../../commands/category.js';
import { createComment } from '../../commands/comment.js';
import { insertArticle } from '../../commands/create-article.js';
import { insertImage, withImage } from '../../commands/image.js';
import { insertAccount } from '../../commands/register.js';
import { type Rendered } from '../../models/article/html.js';
import { DEFAULT_CATEGORY_NAME } from '../../models/category.js';
import { ANONYMOUS } from '../../models/reader.js';
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
import { PICTURE, type SeedArticle, type SeedAuthor, type SeedComment } from './entry.js';
import { AUTHORS, emailOf, readPicture } from './journal.js';
import { DAY_MS, type SeedEvent, timelineOf, writtenAt } from './timeline.js';

export interface SampleOptions {
  images: ImageStore;
  /** The beginning of the address of the picture in the content, without a slash at the end. */
  publicUrl: string;
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

/** @throws OperatorError if the database is not empty, is already seeded, or the process was stopped: then nothing was added */
export async function loadSample(database: Database, options: SampleOptions): Promise<LoadedSample> {
  const { images, publicUrl, mayAdd } = options;
  // Before the picture is saved, and again under the lock.
  await requireEmpty(database, mayAdd);
  const picture = await prepareImage(await readPicture(), { key: 'seed' });
  return withImage({ database, images }, picture, async (saved) => {
    const key = saved?.key ?? '';
    const texts = await renderArticles(images.url(key, publicUrl), publicUrl);
    return database.transaction(async (db) => {
      await db.query(LOCK, []);
      await requireEmpty(db, mayAdd);
      const writer = new SampleWriter(db, options, texts);
      for (const author of AUTHORS) await writer.addMember(author);
      await writer.addPicture(picture, key);
      for (const event of timelineOf(AUTHORS, options.now)) await writer.add(event);
      return writer.finish();
    });
  });
}

/** The content of an article, and its HTML. */
interface Text {
  content: string;
  rendered: Rendered | null;
}

async function renderArticles(pictureUrl: string, publicUrl: string): Promise<Map<SeedArticle, Text>> {
  const texts = new Map<SeedArticle, Text>();
  const renderer = new Renderer();
  for (const article of AUTHORS.flatMap(({ articles }) => articles)) {
    const content = article.content.replace(PICTURE, pictureUrl);
    texts.set(article, { content, rendered: await renderForWrite(renderer, content, { key: 'seed' }, publicUrl) });
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
  ) {}

  /** The member is dated one day before the earliest article. */
  async addMember({ member, articles }: SeedAuthor): Promise<void> {
    const { key, memberName, nickname, bio, categories } = member;
    const passwordHash = this.options.passwordHashes.get(key) ?? null;
    const first = Math.min(...articles.map((article) => writtenAt(article, this.options.now)));
    const createdAt = new Date(first - DAY_MS);
    const account = { email: emailOf(key), passwordHash, memberName, nickname, bio, createdAt };
    const { id } = await insertAccount(this.db, account);
    for (const name of categories) await insertCategory(this.db, { memberId: id, credentialId: null }, name);
    this.#members.set(key, id);
  }

  /** Before its article: a trigger derives the reference from the content. */
  async addPicture(picture: PreparedImage, key: string): Promise<void> {
    const author = AUTHORS.find(({ articles }) => articles.some(({ content }) => content.includes(PICTURE)));
    const memberId = knownOf(this.#members, author?.member.key ?? '');
    await insertImage(this.db, memberId, picture, key);
  }

  async add(event: SeedEvent): Promise<void> {
    if (this.options.signal.aborted) throw new OperatorError('The command was stopped: nothing was added');
    if (event.kind === 'article') await this.#addArticle(event);
    else await this.#addComment(event);
    this.options.onProgress(this.#count(), this.#total);
  }

  async finish(): Promise<LoadedSample> {
    const commentIds = [...this.#comments.values()];
    const dated = await this.db.query(DATE_NOTIFICATIONS, [commentIds, this.options.now]);
    return { ...this.#count(), notifications: dated.length };
  }

  async #addArticle({ at, by, article }: SeedEvent & { kind: 'article' }): Promise<void> {
    const { title, tags } = article;
    const category = article.category === DEFAULT_CATEGORY_NAME ? null : article.category;
    const { content, rendered } = knownOf(this.texts, article);
    const input = { title, content, category, tags: normalizeTags(tags) };
    const values = { memberId: knownOf(this.#members, by), input, rendered, createdAt: at };
    const id = await insertArticle(this.db, values);
    this.#articles.set(article, id);
  }

  async #addComment({ at, by, article, comment, parent }: SeedEvent & { kind: 'comment' }): Promise<void> {
    const ids = {
      articleId: knownOf(this.#articles, article),
      parentId: parent ? knownOf(this.#comments, parent) : null,
      memberId: knownOf(this.#members, by),
    };
    const values = { ...ids, content: comment.content, createdAt: at, reader: ANONYMOUS };
    const { id } = await createComment(this.db, values);
    this.#comments.set(comment, id);
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
