/** The sessions table: one login on one device, ended by deleting its row. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';

@Table({ tableName: 'sessions', updatedAt: false })
export class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
  @Column({ type: DataType.UUID, primaryKey: true })
  declare id: string;

  @Column(DataType.BIGINT)
  declare memberId: number;

  /** SHA-256 of the refresh token; the token itself is never kept. */
  @Column(DataType.BLOB)
  declare refreshHash: Buffer;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare expiresAt: Date;
}
