/** The categories table: each member's own shelves, one of them the default. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';

/** The name of the category that every member starts with. */
export const DEFAULT_CATEGORY_NAME = 'General';

@Table({ tableName: 'categories', timestamps: false })
export class Category extends Model<InferAttributes<Category>, InferCreationAttributes<Category>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  @Column(DataType.BIGINT)
  declare memberId: number;

  @Column(DataType.STRING(20))
  declare name: string;

  @Column(DataType.BOOLEAN)
  declare isDefault: CreationOptional<boolean>;
}
