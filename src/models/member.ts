/** The members table: who writes here. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';

@Table({ tableName: 'members' })
export class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  /** Null for a member who came with an import and has no login. */
  @Column(DataType.STRING(254))
  declare email: string | null;

  /** An argon2id PHC string; null where the account has no password. */
  @Column(DataType.TEXT)
  declare passwordHash: string | null;

  @Column(DataType.STRING(30))
  declare memberName: string;

  @Column(DataType.STRING(30))
  declare nickname: string;

  @Column(DataType.STRING(200))
  declare bio: CreationOptional<string>;

  /** The storage key of the profile image. */
  @Column(DataType.TEXT)
  declare profileImage: CreationOptional<string | null>;

  @Column(DataType.DATE)
  declare createdAt: CreationOptional<Date>;

  @Column(DataType.DATE)
  declare updatedAt: CreationOptional<Date>;
}
