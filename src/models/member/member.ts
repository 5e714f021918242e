/** The members table. */
import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { NICKNAME_LOCKS } from '../../database/locks.js';
import { statement } from '../../database/statement.js';

@Table({ tableName: 'members' })
export class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true })
  declare id: CreationOptional<number>;

  /** Null for an imported member without a login. */
  @Column(DataType.STRING(254))
  declare email: string | null;

  /** An argon2id PHC string; null if the account has no password. */
  @Column(DataType.TEXT)
  declare passwordHash: string | null;

  @Column(DataType.STRING(30))
  declare memberName: string;

  @Column(DataType.STRING(30))
  declare nickname: string;

  /** Skeleton of the nickname (UTS 39); null if another member had the same one when the column was filled, or if it is not filled yet. */
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

/** A member as the loaders return it. */
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

/** The password hash for a login. Values: the email address as sent by the client (compared without regard to case). */
export const MEMBER_BY_EMAIL = statement<{ id: number; passwordHash: string | null }>(
  'member_by_email',
  `select id, password_hash as "passwordHash" from members where lower(email) = lower($1)`,
);

/**
 * The subset of the given nicknames that are taken. Compared in SQL, because PostgreSQL's `lower` can differ from JavaScript's.
 * Values: nicknames and their skeletons in two arrays.
 */
export const TAKEN_NICKNAMES = statement<{ nickname: string }>(
  'taken_nicknames',
  `select wanted as nickname from unnest($1::text[], $2::text[]) as u(wanted, skeleton)
   where exists (select from members where lower(members.nickname) = lower(wanted))
      or exists (select from members where nickname_skeleton = skeleton)`,
);

/** Transaction-level advisory lock that serialises the search for a nickname derived from this name. Values: the skeleton of the name. */
export const LOCK_NICKNAME = statement<never>(
  'lock_nickname',
  `select pg_advisory_xact_lock(${NICKNAME_LOCKS}, hashtext($1))`,
);

/** Data for re-authentication and a change of password; a login is recent for 10 minutes. Values: member id, session id. */
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

/** Compare-and-set: no update if the password has changed meanwhile. Values: member id, the old hash, the new hash. */
export const REPLACE_PASSWORD_HASH = statement<never>(
  'replace_password_hash',
  'update members set password_hash = $3 where id = $1 and password_hash = $2',
);
