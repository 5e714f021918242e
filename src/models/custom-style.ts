/** The custom_styles table: writing styles that members define as instructions in their own words. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row } from '../database/columns.js';
import { statement } from '../database/statement.js';

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
export type CustomStyleFields = Pick<CustomStyleRow, 'name' | 'role' | 'instruction'>;

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
