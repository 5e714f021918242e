/** The comments table and the statements that read it. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';

@Table({ tableName: 'comments' })
export class Comment extends Model<InferAttributes<Comment>, InferCreationAttributes<Comment>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  @Column(DataType.BIGINT)
  declare articleId: number;

  /** Null for a top-level comment. */
  @Column(DataType.BIGINT)
  declare parentId: number | null;

  /** Null where the author withdrew or the comment was deleted. */
  @Column(DataType.BIGINT)
  declare memberId: number | null;

  @Column(DataType.STRING(1000))
  declare content: string;

  /** Kept by the database. */
  @Column(DataType.INTEGER)
  declare replyCount: CreationOptional<number>;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare updatedAt: CreationOptional<Date>;

  /** Set on a deleted comment that keeps its place because it has replies. */
  @Column(DataType.DATE)
  declare deletedAt: CreationOptional<Date | null>;
}
