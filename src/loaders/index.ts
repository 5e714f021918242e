/** DataLoaders of one request, each created on first use. */
import type DataLoader from 'dataloader';
import type { Transaction } from 'sequelize';
import type { Slice } from '../database/keyset.js';
import type { Database } from '../database/pool.js';
import type { Statement } from '../database/statement.js';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article/article.js';
import { type ArticleHtmlRow, HTML_BY_ARTICLE } from '../models/article/html.js';
import { type ArticleListRequest, type FoundArticles, findArticlesOfMembers } from '../models/article/list.js';
import { CATEGORIES_BY_ID, CATEGORIES_OF_MEMBERS, type CategoryRow, COUNTS_BY_CATEGORY } from '../models/category.js';
import {
  COMMENTS_BY_ID,
  type CommentForViewer,
  type CommentRow,
  REPLIES_BY_COMMENT,
} from '../models/comment/comment.js';
import { type CommentList, type FoundComments, findComments } from '../models/comment/list.js';
import { findPositions } from '../models/comment/position.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member/member.js';
import { UNREAD_BY_MEMBER } from '../models/notification/notification.js';
import { SUMMARIES_BY_ARTICLE, type SummaryRow } from '../models/summary.js';
import { RENDERER_VERSION } from '../rendering/renderer.js';
import { byId, forViewer, inBatches, type ViewerKey } from './make.js';

export class Loaders {
  readonly #database: Database;
  #memberById?: DataLoader<number, MemberRow | null>;
  #articleById?: DataLoader<number, ArticleRow | null>;
  #htmlByArticle?: DataLoader<number, ArticleHtmlRow | null>;
  #categoryById?: DataLoader<number, CategoryRow | null>;
  #categoriesOfMember?: DataLoader<number, CategoryRow[]>;
  #articlesInCategory?: DataLoader<number, number>;
  #comments?: DataLoader<ViewerKey, CommentForViewer[], string>;
  #replies?: DataLoader<ViewerKey, CommentForViewer[], string>;
  #summaryByArticle?: DataLoader<number, SummaryRow | null>;
  #unreadByMember?: DataLoader<number, number>;

  /** Plain arrays, not promises: ten promises would cost a page more than all other work of this class. */
  readonly #embedded = new Map<number, CommentRow[]>();
  readonly #slices = new Map<string, DataLoader<number, unknown>>();

  #transaction: Transaction | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Loads rows by id on the connection of the transaction. What has been loaded is kept for the rest of the request. */
  async within<Loaded>(transaction: Transaction, load: () => Promise<Loaded>): Promise<Loaded> {
    this.#transaction = transaction;
    try {
      return await load();
    } finally {
      this.#transaction = undefined;
    }
  }

  get memberById() {
    this.#memberById ??= byId((ids) => this.#query(MEMBERS_BY_ID, [ids]));
    return this.#memberById;
  }

  get articleById() {
    this.#articleById ??= byId((ids) => this.#query(ARTICLES_BY_ID, [ids]));
    return this.#articleById;
  }

  /** Null if there is none, or only one of an older renderer version. */
  get htmlByArticle() {
    this.#htmlByArticle ??= byId((ids) => this.#query(HTML_BY_ARTICLE, [ids, RENDERER_VERSION]));
    return this.#htmlByArticle;
  }

  get categoryById() {
    this.#categoryById ??= byId((ids) => this.#query(CATEGORIES_BY_ID, [ids]));
    return this.#categoryById;
  }

  /** The default one first, then by name. */
  get categoriesOfMember() {
    this.#categoriesOfMember ??= inBatches(async (ids) => {
      const rows = await this.#query(CATEGORIES_OF_MEMBERS, [ids]);
      return ids.map((id) => rows.filter(({ memberId }) => memberId === id));
    });
    return this.#categoriesOfMember;
  }

  /** Number of articles in a category; 0 if it does not exist. */
  get articlesInCategory() {
    this.#articlesInCategory ??= inBatches(async (ids) => {
      const rows = await this.#query(COUNTS_BY_CATEGORY, [ids]);
      const counts = new Map(rows.map(({ id, articles }) => [id, articles]));
      return ids.map((id) => counts.get(id) ?? 0);
    });
    return this.#articlesInCategory;
  }

  /** As the member with the id `viewerId` sees it; 0: as everyone. Streams of several members share these loaders. */
  async commentById(id: number, viewerId: number): Promise<CommentRow | null> {
    this.#comments ??= forViewer((ids, viewerIds) => this.#query(COMMENTS_BY_ID, [ids, viewerIds]));
    const [found] = await this.#comments.load({ id, viewerId });
    return found ?? null;
  }

  /** Loads the comment again after a change. */
  reloadComment(id: number, viewerId: number): Promise<CommentRow | null> {
    this.#comments?.clear({ id, viewerId });
    return this.commentById(id, viewerId);
  }

  /** The first replies, oldest first, at most `EMBEDDED_REPLIES`, as the member with the id `viewerId` sees them; 0: as everyone. */
  repliesOf(id: number, viewerId: number): Promise<CommentRow[]> | CommentRow[] {
    const embedded = this.#embedded.get(id);
    if (embedded) return embedded;
    this.#replies ??= forViewer((ids, viewerIds) => this.#query(REPLIES_BY_COMMENT, [ids, viewerIds]));
    return this.#replies.load({ id, viewerId });
  }

  /** Stores replies that were read together with their comment, in a request of one viewer. */
  embedReplies(commentId: number, replies: CommentRow[]): void {
    this.#embedded.set(commentId, replies);
  }

  /** Null if a summary was never requested. */
  get summaryByArticle() {
    this.#summaryByArticle ??= byId((ids) => this.#query(SUMMARIES_BY_ARTICLE, [ids]));
    return this.#summaryByArticle;
  }

  /** Number of a member's unread notifications; 0 if the member does not exist. */
  get unreadByMember() {
    this.#unreadByMember ??= inBatches(async (ids) => {
      const rows = await this.#query(UNREAD_BY_MEMBER, [ids]);
      const unread = new Map(rows.map((row) => [row.id, row.unread]));
      return ids.map((id) => unread.get(id) ?? 0);
    });
    return this.#unreadByMember;
  }

  /** The same slice of several lists of comments, as in `commentById`; null if the owner of a list does not exist. */
  comments(list: CommentList, slice: Slice, viewerId: number): DataLoader<number, FoundComments | null> {
    return this.#slice(JSON.stringify([list, slice, viewerId]), (ids) =>
      findComments(this.#database, list, ids, slice, viewerId),
    );
  }

  /** The number of top-level comments before a comment. @param inTurn runs the statement when it may run */
  commentPosition(inTurn: <Found>(find: () => Promise<Found>) => Promise<Found>): DataLoader<number, number> {
    return this.#slice('positions', (ids) => inTurn(() => findPositions(this.#database, ids)));
  }

  /** The same slice of the article lists of several members. */
  articlesOfMember(request: Omit<ArticleListRequest, 'scope'>): DataLoader<number, FoundArticles> {
    return this.#slice(JSON.stringify(request), (ids) => findArticlesOfMembers(this.#database, ids, request));
  }

  #query<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): Promise<Row[]> {
    return this.#database.query(statement, values, this.#transaction);
  }

  #slice<Found>(key: string, find: (ids: readonly number[]) => Promise<Found[]>): DataLoader<number, Found> {
    const loader = this.#slices.get(key) ?? inBatches(find);
    this.#slices.set(key, loader);
    return loader as DataLoader<number, Found>;
  }
}
