/** The custom_styles table: writing styles that members define as instructions in their own words. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../platform/database/columns.js';
import { statement } from '../platform/database/statement.js';
import { RowTable } from './table.js';

export const MAX_CUSTOM_STYLES = fixedLimit({
  area: 'Accounts',
  about: 'Custom styles of a member.',
  value: 10,
  error: 'STYLE_LIMIT_REACHED',
});

@Table({ tableName: 'custom_styles' })
export class CustomStyle extends Model<InferAttributes<CustomStyle>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  @Column(DataType.BIGINT) declare memberId: number;
  @Column(DataType.STRING(20)) declare name: string;
  @Column(DataType.STRING(100)) declare role: string;
  @Column(DataType.STRING(1000)) declare instruction: string;
  @Column(DataType.DATE) declare createdAt: Date;
  @Column(DataType.DATE) declare updatedAt: Date;
}

export const CUSTOM_STYLES = new RowTable(CustomStyle, 'STYLE_NOT_FOUND', ['name', 'role', 'instruction']);

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

export const COUNT_CUSTOM_STYLES = statement<[memberId: number], { count: number }>(
  'count_custom_styles',
  'select count(*) as count from custom_styles where member_id = $1',
);

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
