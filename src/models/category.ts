/** The categories table: each member's own shelves, one of them the default. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { statement } from './statement.js';

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

export interface CategoryRow {
  id: number;
  name: string;
  memberId: number;
}

/** Categories by id, in no order. Values: an array of ids. */
export const CATEGORIES_BY_ID = statement<CategoryRow>(
  'categories_by_id',
  `select id, name, member_id as "memberId" from categories where id = any($1::bigint[])`,
);

/** The category of a member that an article goes to. Values: member id, its name, or null for the default one. */
export const CATEGORY_FOR_ARTICLE = statement<{ id: number }>(
  'category_for_article',
  `select id from categories
   where member_id = $1 and case when $2::text is null then is_default else lower(name) = lower($2) end`,
);
