/** DataLoaders of one request, each created on first use. */
import DataLoader from 'dataloader';
import {
  type ArticleIncludes,
  type ArticleListRequest,
  type FoundArticles,
  findArticlesOfMembers,
} from '../models/article/list.js';
import { COMMENTS_BY_ID, type CommentRow, REPLIES_BY_COMMENT } from '../models/comment/comment.js';
import { type CommentList, type FoundComments, findComments } from '../models/comment/list.js';
import { findPositions } from '../models/comment/position.js';
import type { Reader } from '../models/reader.js';
import { type FoundSeriesList, findArticlesOfSeries, findSeriesOfMembers } from '../models/series.js';
import type { Slice } from '../platform/database/keyset.js';
import type { Database } from '../platform/database/pool.js';
import type { PreparedText, Statement } from '../platform/database/statement.js';
import type { OthersRows } from './others-rows.js';

/** A resource, and as whom it is read. */
interface ReaderKey {
  readonly id: number;
  readonly reader: Reader;
}

type ByReader = DataLoader<ReaderKey, CommentRow[], string>;

export class Loaders {
  readonly #database: Database;
  /** By statement, with its further parameters, or by the description of a slice. */
  readonly #loaders = new Map<PreparedText | string, unknown>();
  /** Plain arrays, not promises: ten promises would cost a page more than all other work of this class. */
  readonly #embedded = new Map<number, CommentRow[]>();

  readonly #others: OthersRows | undefined;

  /** @param others collects the rows of other members that are loaded */
  constructor(database: Database, others?: OthersRows) {
    this.#database = database;
    this.#others = others;
  }

  /** Records what the response shows without having loaded it here. */
  addShown(...[kind, rows]: Parameters<OthersRows['add']>): void {
    this.#others?.add(kind, rows);
  }

  /** After a change: everything is loaded again. */
  forget(): void {
    this.#loaders.clear();
    this.#embedded.clear();
  }

  /**
   * The row of each id, in its column `id`; null if there is none.
   * @param more the values of the further parameters of the statement, such as the reader: each combination has a loader of its own, since
   * streams of several members share them
   */
  byId<Row extends { id: number }, More extends readonly unknown[]>(
    statement: Statement<[ids: readonly number[], ...more: More], Row>,
    ...more: NoInfer<More>
  ): DataLoader<number, Row | null> {
    return this.#loader(more.length === 0 ? statement : `${statement.name} ${more.join(' ')}`, async (ids) => {
      const rows = new Map((await this.#query(statement, [ids, ...more])).map((row) => [row.id, row]));
      return ids.map((id) => rows.get(id) ?? null);
    });
  }

  /** Reads a row again with the database that has changed it, and keeps it for the fields of the response. */
  async reload<Row extends { id: number }, More extends readonly unknown[]>(
    db: Database,
    id: number,
    statement: Statement<[ids: readonly number[], ...more: More], Row>,
    ...more: NoInfer<More>
  ): Promise<Row | null> {
    const [row = null] = await this.#query(statement, [[id], ...more], db);
    this.byId(statement, ...more)
      .clear(id)
      .prime(id, row);
    return row;
  }

  /** The rows of each member, in the order of the statement. */
  ofMember<Row extends { memberId: number }>(
    statement: Statement<[memberIds: readonly number[]], Row>,
  ): DataLoader<number, Row[]> {
    return this.#loader(statement, async (ids) => {
      const rows = await this.#query(statement, [ids]);
      return ids.map((id) => rows.filter(({ memberId }) => memberId === id));
    });
  }

  /** As the reader sees it. Streams of several members share these loaders. */
  async commentById(id: number, reader: Reader): Promise<CommentRow | null> {
    const [found] = await this.#byReader(COMMENTS_BY_ID).load({ id, reader });
    return found ?? null;
  }

  /** As `reload`. */
  async reloadComment(db: Database, id: number, reader: Reader): Promise<CommentRow | null> {
    const rows = await this.#query(COMMENTS_BY_ID, [[id], [reader]], db);
    this.#byReader(COMMENTS_BY_ID).clear({ id, reader }).prime({ id, reader }, rows);
    return rows[0] ?? null;
  }

  /** The first replies, oldest first, at most `EMBEDDED_REPLIES`, as the reader sees them. */
  repliesOf(id: number, reader: () => Reader): Promise<CommentRow[]> | CommentRow[] {
    return this.#embedded.get(id) ?? this.#byReader(REPLIES_BY_COMMENT).load({ id, reader: reader() });
  }

  /** Stores replies that were read together with their comment, in a request of one viewer. */
  embedReplies(commentId: number, replies: CommentRow[]): void {
    this.#embedded.set(commentId, replies);
  }

  /** The same slice of several lists of comments, as in `commentById`; null if the owner of a list does not exist for the reader. */
  comments(list: CommentList, slice: Slice, reader: Reader): DataLoader<number, FoundComments | null> {
    return this.#loader(`${list} ${JSON.stringify(slice)} ${reader}`, async (ids) => {
      const found = await findComments(this.#database, list, ids, slice, reader);
      for (const comments of found) this.#others?.add('comments', comments?.contents ?? []);
      return found;
    });
  }

  /** The number of top-level comments before a comment. @param runWithPermit runs the statement, after a wait for a permit */
  commentPosition(
    runWithPermit: <Found>(find: () => Promise<Found>) => Promise<Found>,
    reader: Reader,
  ): DataLoader<number, number> {
    return this.#loader(`positions ${reader}`, (ids) =>
      runWithPermit(() => findPositions(this.#database, ids, reader)),
    );
  }

  /** The same slice of the article lists of several members. */
  articlesOfMember(request: Omit<ArticleListRequest, 'scope'>): DataLoader<number, FoundArticles> {
    return this.#loader(JSON.stringify(request), async (ids) => {
      const found = await findArticlesOfMembers(this.#database, ids, request);
      for (const { contents } of found) this.#others?.add('articles', contents);
      return found;
    });
  }

  /** The same slice of the series of several members; null for a member that does not exist. */
  seriesOfMember(slice: Slice, by: Reader): DataLoader<number, FoundSeriesList | null> {
    return this.#loader(`series ${JSON.stringify(slice)} ${by}`, async (ids) => {
      const found = await findSeriesOfMembers(this.#database, ids, by, slice);
      for (const series of found) this.#others?.add('series', series?.contents ?? []);
      return found;
    });
  }

  /** The same slice of the public articles of several series. */
  articlesOfSeries(slice: Slice, includes: ArticleIncludes): DataLoader<number, FoundArticles> {
    return this.#loader(JSON.stringify(['articles of series', slice, includes]), async (ids) => {
      const found = await findArticlesOfSeries(this.#database, ids, slice, includes);
      for (const { contents } of found) this.#others?.add('articles', contents);
      return found;
    });
  }

  #byReader(statement: typeof COMMENTS_BY_ID): ByReader {
    const find = async (keys: readonly ReaderKey[]) => {
      const groups = keys.map((): CommentRow[] => []);
      const [ids, readers] = [keys.map(({ id }) => id), keys.map(({ reader }) => reader)];
      for (const { key, ...row } of await this.#query(statement, [ids, readers])) groups[key - 1]?.push(row);
      return groups;
    };
    return this.#loader(statement, find, { cacheKeyFn: ({ id, reader }) => `${id} ${reader}` });
  }

  #query<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
    database = this.#database,
  ): Promise<Row[]> {
    const rows = database.query(statement, values);
    return this.#others?.collect(statement, rows) ?? rows;
  }

  /** @param find returns one result for each key, in their order */
  #loader<Key, Found, CacheKey = Key>(
    name: PreparedText | string,
    find: (keys: readonly Key[]) => Promise<Found[]>,
    options?: DataLoader.Options<Key, Found, CacheKey>,
  ): DataLoader<Key, Found, CacheKey> {
    const created = this.#loaders.get(name) as DataLoader<Key, Found, CacheKey> | undefined;
    if (created) return created;
    const loader = new DataLoader<Key, Found, CacheKey>(find, options);
    this.#loaders.set(name, loader);
    return loader;
  }
}
