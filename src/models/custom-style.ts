/** The custom_styles table: writing styles that members define as instructions in their own words. */
import type { CreationOptional, InferAttributes, InferCreationAttributes, Transaction } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row } from '../database/columns.js';
import type { Database } from '../database/pool.js';
import { statement } from '../database/statement.js';
import { AppError } from '../errors.js';
import { lockForUpdate } from './lock-for-update.js';
import { lockMember } from './member/member.js';

export const MAX_CUSTOM_STYLES = 10;

@Table({ tableName: 'custom_styles' })
export class CustomStyle extends Model<InferAttributes<CustomStyle>, InferCreationAttributes<CustomStyle>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  @Column(DataType.BIGINT)
  declare memberId: number;

  @Column(DataType.STRING(20))
  declare name: string;

  @Column(DataType.STRING(100))
  declare role: string;

  @Column(DataType.STRING(1000))
  declare instruction: string;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare updatedAt: CreationOptional<Date>;
}

/** The readable columns. */
const CUSTOM_STYLE = new ColumnList({
  id: column<number>('id'),
  memberId: column<number>('member_id'),
  name: column<string>('name'),
  role: column<string>('role'),
  instruction: column<string>('instruction'),
  createdAt: column<Date>('created_at'),
  updatedAt: column<Date>('updated_at'),
});

export type CustomStyleRow = Row<typeof CUSTOM_STYLE>;

/** The fields of a style that the member writes. */
export type StyleWords = Pick<CustomStyleRow, 'name' | 'role' | 'instruction'>;

/** A member's styles, sorted by name. */
export const CUSTOM_STYLES_OF_MEMBER = statement<[memberId: number], CustomStyleRow>(
  'custom_styles_of_member',
  `select ${CUSTOM_STYLE.select} from custom_styles where member_id = $1 order by lower(name), id`,
);

/** One style, if it belongs to the member. */
export const CUSTOM_STYLE_OF_MEMBER = statement<[styleId: number, memberId: number], CustomStyleRow>(
  'custom_style_of_member',
  `select ${CUSTOM_STYLE.select} from custom_styles where id = $1 and member_id = $2`,
);

/** @throws AppError STYLE_LIMIT_REACHED, or UNAUTHENTICATED if the member has withdrawn */
export async function addCustomStyle(
  database: Database,
  memberId: number,
  words: StyleWords,
  transaction: Transaction,
): Promise<CustomStyleRow> {
  await lockMember(database, memberId, transaction);
  const count = await CustomStyle.count({ where: { memberId }, transaction });
  if (count >= MAX_CUSTOM_STYLES) throw new AppError('STYLE_LIMIT_REACHED');
  const style = await CustomStyle.create({ memberId, ...words }, { transaction });
  return style.get();
}

/** Reads the row FOR UPDATE, for a change that `check` allows. @throws AppError STYLE_NOT_FOUND, and the errors of `check` */
export function holdCustomStyle(
  id: number,
  transaction: Transaction,
  check: (style: CustomStyle) => void,
): Promise<CustomStyle> {
  return lockForUpdate(CustomStyle, id, 'STYLE_NOT_FOUND', transaction, check);
}
