/** The sessions table: one login on one device, ended by deleting its row. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { statement } from './statement.js';

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

/** One row where the session lives and is this member's. Values: session id, member id. */
export const LIVE_SESSION = statement<{ memberId: number }>(
  'live_session',
  `select member_id as "memberId" from sessions where id = $1 and member_id = $2 and expires_at > now()`,
);

/** Values: member id, the session that stays. */
export const END_OTHER_SESSIONS = statement<never>(
  'end_other_sessions',
  'delete from sessions where member_id = $1 and id <> $2',
);
