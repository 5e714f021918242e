/** The articles table, and how an article's tags are stored and read. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { statement } from '../database/statement.js';
import { ARTICLE_STAMP, JOIN_NAMES } from './stamp.js';

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

  /** The beginning of the content as plain text; null where it is yet to be made. */
  @Column(DataType.STRING(200))
  declare excerpt: CreationOptional<string | null>;

  /** The storage key of the article's image. */
  @Column(DataType.TEXT)
  declare image: CreationOptional<string | null>;

  @Column(DataType.TEXT)
  declare aiSummary: CreationOptional<string | null>;

  /** Goes up with each edit. */
  @Column(DataType.INTEGER)
  declare version: CreationOptional<number>;

  /** Comments that have words, kept by the database. */
  @Column(DataType.INTEGER)
  declare commentCount: CreationOptional<number>;

  /** Top-level places, deleted ones that have replies included; kept by the database. */
  @Column(DataType.INTEGER)
  declare topLevelCount: CreationOptional<number>;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare updatedAt: CreationOptional<Date>;
}

/** An article as the loaders give it. */
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
  /** As `readStamp` reads it. */
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
 * Adds the tags that are not there yet, and locks those that are: a tag goes with the last article that had it, but not
 * between now and its use here. By name, so that parallel inserts cannot deadlock. Values: an array of names.
 */
export const ADD_TAGS = statement<{ isNew: boolean }>(
  'add_tags',
  `insert into tags (name) select name from unnest($1::text[]) as u(name) order by name
   on conflict (name) do update set name = excluded.name returning xmax = 0 as "isNew"`,
);

/** Gives an article its tags, in order. Values: article id, an array of names. */
export const TAG_ARTICLE = statement<never>(
  'tag_article',
  `insert into article_tags (article_id, position, tag_id)
   select $1, u.place - 1, t.id from unnest($2::text[]) with ordinality as u(name, place) join tags t using (name)`,
);
