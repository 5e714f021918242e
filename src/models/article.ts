/** The articles table, and how an article's tags are stored and read. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';

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
