/** The articles table, and how an article's tags are stored and read. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { statement } from '../../database/statement.js';
import { ARTICLE_STAMP, JOIN_NAMES } from '../stamp.js';

@Table({ tableName: 'articles' })
export class Article extends Model<InferAttributes<Article>, InferCreationAttributes<Article>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  @Column(DataType.BIGINT)
  declare memberId: number;

  @Column(DataType.BIGINT)
  declare categoryId: number;

  @Column(DataType.STRING(100))
  declare title: string;

  @Column(DataType.TEXT)
  declare content: string;

  /** The beginning of the content as plain text; null if not generated yet. */
  @Column(DataType.STRING(200))
  declare excerpt: CreationOptional<string | null>;

  /** The storage key of the article's image. */
  @Column(DataType.TEXT)
  declare image: CreationOptional<string | null>;

  @Column(DataType.TEXT)
  declare aiSummary: CreationOptional<string | null>;

  /** Incremented by each edit. */
  @Column(DataType.INTEGER)
  declare version: CreationOptional<number>;

  /** Number of comments that are not deleted, including replies; maintained by database triggers. */
  @Column(DataType.INTEGER)
  declare commentCount: CreationOptional<number>;

  /** Number of top-level comments, including deleted ones that have replies; maintained by database triggers. */
  @Column(DataType.INTEGER)
  declare topLevelCount: CreationOptional<number>;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare updatedAt: CreationOptional<Date>;
}

/** An article as the loaders return it. */
export interface ArticleRow {
  id: number;
  memberId: number;
  authorName: string;
  categoryId: number;
  categoryName: string;
  title: string;
  excerpt: string | null;
  content: string;
  image: string | null;
  tags: string[];
  commentCount: number;
  aiSummary: string | null;
  version: number;
  createdAt: Date | string;
  updatedAt: Date | string;
  /** The format that `readStamp` parses. */
  stamp: string;
}

/** Articles by id, in no order. Values: an array of ids. */
export const ARTICLES_BY_ID = statement<ArticleRow>(
  'articles_by_id',
  `select a.id, a.member_id as "memberId", m.nickname as "authorName", a.category_id as "categoryId",
          k.name as "categoryName", a.title, a.excerpt, a.content, a.image, a.comment_count as "commentCount",
          a.ai_summary as "aiSummary", a.version, a.created_at as "createdAt", a.updated_at as "updatedAt",
          array(select t.name from article_tags x join tags t on t.id = x.tag_id
                where x.article_id = a.id order by x.position)::text[] as tags, ${ARTICLE_STAMP} as stamp
   from articles a join members m on m.id = a.member_id join categories k on k.id = a.category_id ${JOIN_NAMES}
   where a.id = any($1::bigint[])`,
);

/**
 * Inserts missing tags and locks existing ones: a tag is deleted with the last article that has it, and the lock prevents this
 * until the transaction ends. Sorted by name, so that concurrent inserts cannot deadlock. Values: an array of names.
 */
export const ADD_TAGS = statement<{ isNew: boolean }>(
  'add_tags',
  `insert into tags (name) select name from unnest($1::text[]) as u(name) order by name
   on conflict (name) do update set name = excluded.name returning xmax = 0 as "isNew"`,
);

/** Assigns tags to an article, in order. Values: article id, an array of names. */
export const TAG_ARTICLE = statement<never>(
  'tag_article',
  `insert into article_tags (article_id, position, tag_id)
   select $1, u.place - 1, t.id from unnest($2::text[]) with ordinality as u(name, place) join tags t using (name)`,
);
