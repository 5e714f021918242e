/** The categories table: each member has their own categories, one of which is the default. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../platform/database/columns.js';
import type { Transaction } from '../platform/database/pool.js';
import { statement } from '../platform/database/statement.js';
import { AppError } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import type { Reader } from './reader.js';
import { hasAccessSql } from './session/access.js';
import { RowTable } from './table.js';

/** The name of the category that every member starts with. */
export const DEFAULT_CATEGORY_NAME = 'General';

export const MAX_CATEGORIES = fixedLimit({
  area: 'Accounts',
  about: 'Categories of a member besides the default one.',
  value: 20,
  error: 'CATEGORY_LIMIT_REACHED',
});

export const MAX_CATEGORY_LENGTH = 20;

@Table({ tableName: 'categories', timestamps: false })
export class Category extends Model<InferAttributes<Category>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  @Column(DataType.BIGINT) declare memberId: number;
  @Column(DataType.STRING(MAX_CATEGORY_LENGTH)) declare name: string;
  @Column(DataType.BOOLEAN) declare isDefault: boolean;
}

export const CATEGORIES = new RowTable(Category, 'CATEGORY_NOT_FOUND', ['name']);

/** The readable columns. */
const CATEGORY = new ColumnList({
  id: column<number>('id'),
  name: column<string>('name'),
  memberId: column<number>('member_id'),
  isDefault: column<boolean>('is_default'),
});

export type CategoryRow = Row<typeof CATEGORY>;

/** Categories by id, in no order. */
export const CATEGORIES_BY_ID = statement<[ids: readonly number[]], CategoryRow>(
  'categories_by_id',
  `select ${CATEGORY.select} from categories where id = any($1::bigint[])`,
);

/** The categories of some members, the default one first, then by name. */
export const CATEGORIES_OF_MEMBERS = statement<[memberIds: readonly number[]], CategoryRow>(
  'categories_of_members',
  `select ${CATEGORY.select} from categories where member_id = any($1::bigint[])
   order by is_default desc, lower(name), id`,
);

/** Without the default one. */
export const COUNT_CATEGORIES = statement<[memberId: number], { count: number }>(
  'count_categories',
  'select count(*) as count from categories where member_id = $1 and not is_default',
);

/** The number of articles in each category, in those of the reader with the private ones. */
export const COUNTS_BY_CATEGORY = statement<[ids: readonly number[], reader: Reader], { id: number; articles: number }>(
  'counts_by_category',
  `select k.id, c.articles + case when k.member_id = ($2::reader).article_reader_id then c.private_articles else 0 end as articles
   from categories k join category_counts c on c.category_id = k.id where k.id = any($1::bigint[])`,
);

/** The category for an article, locked FOR KEY SHARE so that it cannot be deleted until the transaction ends. */
const CATEGORY_FOR_ARTICLE = statement<
  [memberId: number, name: string | null, credentialId: string | null],
  { id: number; hasAccess: boolean }
>(
  'category_for_article',
  `select id, ${hasAccessSql('$3')} as "hasAccess" from categories
   where member_id = $1 and case when $2::text is null then is_default else lower(name) = lower($2) end
   for key share`,
);

/**
 * @param name null for the default one
 * @param credentialId of the session or API token; null without a request
 * @throws AppError CATEGORY_NOT_FOUND; UNAUTHENTICATED if the session or API token has ended, or the member has withdrawn
 */
export async function categoryForArticle(
  db: Transaction,
  { memberId, name, credentialId }: { memberId: number; name: string | null; credentialId: string | null },
): Promise<number> {
  const [category] = await db.query(CATEGORY_FOR_ARTICLE, [memberId, name, credentialId]);
  if (category?.hasAccess) return category.id;
  // A member always has a default category.
  if (category || name === null) throw new AppError('UNAUTHENTICATED');
  throw new AppError('CATEGORY_NOT_FOUND', { message: createMessage('noCategoryNamed', JSON.stringify(name)) });
}

/** Moves all articles of a category to the default category of the member, locked in the order of their ids, as by save_series. */
export const MOVE_ARTICLES = statement<[categoryId: number, memberId: number]>(
  'move_articles_to_default',
  `update all_articles set category_id = (select id from categories where member_id = $2 and is_default)
   where id = any(array(select id from all_articles where category_id = $1 order by id for no key update))`,
);
