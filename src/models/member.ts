/** The members table: who writes here. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { NICKNAME_LOCKS } from '../database/locks.js';
import { statement } from '../database/statement.js';

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

  /** Of the nickname; null where it was taken when the column was filled, or has not been filled yet. */
  @Column(DataType.TEXT)
  declare nicknameSkeleton: CreationOptional<string | null>;

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

/** A member as the loaders give it. */
export interface MemberRow {
  id: number;
  email: string | null;
  memberName: string;
  nickname: string;
  bio: string;
  profileImage: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Members by id, in no order. Values: an array of ids. */
export const MEMBERS_BY_ID = statement<MemberRow>(
  'members_by_id',
  `select id, email, member_name as "memberName", nickname, bio, profile_image as "profileImage",
          created_at as "createdAt", updated_at as "updatedAt"
   from members where id = any($1::bigint[])`,
);

/** What a login is checked against. Values: the email as it was sent. */
export const MEMBER_BY_EMAIL = statement<{ id: number; passwordHash: string | null }>(
  'member_by_email',
  `select id, password_hash as "passwordHash" from members where lower(email) = lower($1)`,
);

/**
 * Those of some nicknames that are taken. Values: nicknames and their skeletons in two arrays. Only the database knows which
 * nicknames its `lower` makes the same.
 */
export const TAKEN_NICKNAMES = statement<{ nickname: string }>(
  'taken_nicknames',
  `select wanted as nickname from unnest($1::text[], $2::text[]) as u(wanted, skeleton)
   where exists (select from members where lower(members.nickname) = lower(wanted))
      or exists (select from members where nickname_skeleton = skeleton)`,
);

/** Lets one transaction at a time look for a nickname that begins with this name. Values: the skeleton of the name. */
export const LOCK_NICKNAME = statement<never>(
  'lock_nickname',
  `select pg_advisory_xact_lock(${NICKNAME_LOCKS}, hashtext($1))`,
);

/** What proof and a change of password depend on. Values: member id, session id. */
export const PASSWORD_OF_MEMBER = statement<{
  passwordHash: string | null;
  hasEmail: boolean;
  isLoginRecent: boolean;
}>(
  'password_of_member',
  `select m.password_hash as "passwordHash", m.email is not null as "hasEmail",
          coalesce(s.created_at > now() - interval '10 minutes', false) as "isLoginRecent"
   from members m left join sessions s on s.id = $2 and s.member_id = m.id where m.id = $1`,
);

/** Only where nobody changed the password in the meantime. Values: member id, the hash it had, the new one. */
export const REPLACE_PASSWORD_HASH = statement<never>(
  'replace_password_hash',
  'update members set password_hash = $3 where id = $1 and password_hash = $2',
);
