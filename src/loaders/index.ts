/** The loaders of one request, each made when it is first asked for. */
import type DataLoader from 'dataloader';
import { ARTICLES_BY_ID, type ArticleRow } from '../models/article.js';
import { CATEGORIES_BY_ID, type CategoryRow } from '../models/category.js';
import { COMMENTS_BY_ID, type CommentRow, REPLIES_BY_COMMENT } from '../models/comment.js';
import type { Database } from '../models/database.js';
import { MEMBERS_BY_ID, type MemberRow } from '../models/member.js';
import { byId, groupedBy } from './make.js';

export class Loaders {
  readonly #database: Database;
  #memberById?: DataLoader<number, MemberRow | null>;
  #articleById?: DataLoader<number, ArticleRow | null>;
  #categoryById?: DataLoader<number, CategoryRow | null>;
  #commentById?: DataLoader<number, CommentRow | null>;
  #repliesByComment?: DataLoader<number, CommentRow[]>;

  constructor(database: Database) {
    this.#database = database;
  }

  get memberById() {
    this.#memberById ??= byId((ids) => this.#database.query(MEMBERS_BY_ID, [ids]));
    return this.#memberById;
  }

  get articleById() {
    this.#articleById ??= byId((ids) => this.#database.query(ARTICLES_BY_ID, [ids]));
    return this.#articleById;
  }

  get categoryById() {
    this.#categoryById ??= byId((ids) => this.#database.query(CATEGORIES_BY_ID, [ids]));
    return this.#categoryById;
  }

  get commentById() {
    this.#commentById ??= byId((ids) => this.#database.query(COMMENTS_BY_ID, [ids]));
    return this.#commentById;
  }

  /** The first replies, oldest first, as many as come embedded. */
  get repliesByComment() {
    this.#repliesByComment ??= groupedBy(
      (ids) => this.#database.query(REPLIES_BY_COMMENT, [ids]),
      (reply) => reply.parentId,
    );
    return this.#repliesByComment;
  }
}
