/** The members table, and the lock of a member for quota checks. */
import type { InferAttributes } from 'sequelize';
import { Column, DataType, Model, Table } from 'sequelize-typescript';
import { ColumnList, column, type Row, timestamp } from '../../platform/database/columns.js';
import { NICKNAME_LOCKS } from '../../platform/database/locks.js';
import type { Transaction } from '../../platform/database/pool.js';
import { statement } from '../../platform/database/statement.js';
import { MAX_NAME_LENGTH } from '../../platform/display-name/rules.js';
import { isSameEmailSql } from '../../platform/email-address.js';
import { AppError } from '../../platform/errors.js';
import type { Language } from '../../platform/messages/message.js';
import type { Role } from '../moderation/role.js';
import { hasAccessSql } from '../session/access.js';
import { RowTable } from '../table.js';
import { followersWithdrawn } from './removal.js';

export const MAX_BIO_LENGTH = 200;

@Table({ tableName: 'members' })
export class Member extends Model<InferAttributes<Member>> {
  @Column({ type: DataType.BIGINT, primaryKey: true, autoIncrement: true }) declare id: number;
  /** Null for an imported member without a login. */
  @Column(DataType.STRING(254)) declare email: string | null;
  /** Time of the registration, if a confirmation of the address has to follow; null after the first login. */
  @Column(DataType.DATE) declare pendingSince: Date | null;
  /** An argon2id PHC string; null if the account has no password. */
  @Column(DataType.TEXT) declare passwordHash: string | null;
  @Column(DataType.STRING(MAX_NAME_LENGTH)) declare memberName: string;
  @Column(DataType.STRING(MAX_NAME_LENGTH)) declare nickname: string;
  /** Skeleton of the nickname (UTS 39); null if another member had the same one when the column was filled, or if it is not filled yet. */
  @Column(DataType.TEXT) declare nicknameSkeleton: string | null;
  @Column(DataType.STRING(MAX_BIO_LENGTH)) declare bio: string;
  /** Language of emails: that of the last login. */
  @Column(DataType.TEXT) declare language: Language;
  /** The storage key of the profile image. */
  @Column(DataType.TEXT) declare profileImage: string | null;
  /** Its shorter side in pixels; null until its square sizes exist. */
  @Column(DataType.INTEGER) declare profileImageSide: number | null;
  @Column(DataType.DATE) declare createdAt: Date;
  @Column(DataType.DATE) declare updatedAt: Date;
}

export const MEMBERS = new RowTable(Member, 'MEMBER_NOT_FOUND', ['memberName', 'nickname', 'bio']);

/** In place of the name of an author who withdrew. */
export const WITHDRAWN = '(withdrawn)';

/** Of the random addresses that registrations with a taken address have (RFC 2606 §2). */
export const PLACEHOLDER_DOMAIN = 'taken.invalid';

/**
 * A registration that needs a confirmation and was never confirmed or used (REQUIRE_VERIFIED_EMAIL). Its profile is not public: otherwise the next id
 * would show whether an address was free.
 */
export const IS_PENDING = 'pending_since is not null and email_verified_at is null';

/** The readable columns of `members`. */
export const MEMBER = new ColumnList({
  id: column<number>('members.id'),
  email: column<string | null>('email'),
  emailVerified: column<boolean>('email_verified_at is not null'),
  memberName: column<string>('member_name'),
  nickname: column<string>('nickname'),
  bio: column<string>('bio'),
  profileImage: column<string | null>('profile_image'),
  profileImageSide: column<number | null>('profile_image_side'),
  role: column<Role>('role'),
  /** The numbers that a public profile shows; their stamp is `profile`. */
  articleCount: column<number>('(select c.articles from member_counts c where c.member_id = members.id)'),
  followerCount: column<number>(
    `(select c.followers from member_counts c where c.member_id = members.id) - ${followersWithdrawn('members.id')}`,
  ),
  createdAt: timestamp('members.created_at'),
  updatedAt: timestamp('members.updated_at'),
  isPending: column<boolean>(IS_PENDING),
});

export type MemberRow = Row<typeof MEMBER>;

/** Members by id, in no order. */
export const MEMBERS_BY_ID = statement<[ids: readonly number[]], MemberRow>(
  'members_by_id',
  `select ${MEMBER.select} from members where id = any($1::bigint[])`,
);

/** The member with this nickname, ignoring case. */
export const MEMBER_BY_NICKNAME = statement<[nickname: string], MemberRow>(
  'member_by_nickname',
  `select ${MEMBER.select} from members where lower(nickname) = lower($1) and not (${IS_PENDING})`,
);

/** The password hash for a login. */
export const MEMBER_BY_EMAIL = statement<[email: string], { id: number; passwordHash: string | null }>(
  'member_by_email',
  `select id, password_hash as "passwordHash" from members where ${isSameEmailSql('email', '$1')}`,
);

/** The subset of the given nicknames that are taken. Compared in SQL, because PostgreSQL's `lower` can differ from JavaScript's. */
export const TAKEN_NICKNAMES = statement<[nicknames: string[], skeletons: string[]], { nickname: string }>(
  'taken_nicknames',
  `select wanted as nickname from unnest($1::text[], $2::text[]) as u(wanted, skeleton)
   where exists (select from members where lower(members.nickname) = lower(wanted))
      or exists (select from members where nickname_skeleton = skeleton)`,
);

/** Transaction-level advisory lock that serializes the search for a nickname derived from this name. */
export const LOCK_NICKNAME = statement<[skeleton: string]>(
  'lock_nickname',
  `select pg_advisory_xact_lock(${NICKNAME_LOCKS}, hashtext($1))`,
);

/** Data for re-authentication and a change of password; a login is recent for 10 minutes. */
export const PASSWORD_OF_MEMBER = statement<
  [memberId: number, sessionId: string],
  {
    passwordHash: string | null;
    hasEmail: boolean;
    isLoginRecent: boolean;
  }
>(
  'password_of_member',
  `select m.password_hash as "passwordHash", m.email is not null as "hasEmail",
          coalesce(s.created_at > now() - interval '10 minutes', false) as "isLoginRecent"
   from members m left join sessions s on s.id = $2 and s.member_id = m.id where m.id = $1`,
);

/** Locks the account (FOR UPDATE), so that changes of its login methods are serialized, and no login begins. */
export const LOCK_EMAIL = statement<[memberId: number], LockedEmail>(
  'lock_email',
  `select email, email_verified_at is not null as "isVerified", registered_again as "isRegisteredAgain"
   from members where id = $1 for update`,
);

export interface LockedEmail {
  email: string | null;
  isVerified: boolean;
  /** Whether the address was registered again before its first proof. */
  isRegisteredAgain: boolean;
}

/**
 * After the first proof of an address by a person who reads its emails: whatever was added before may belong to another person, who registered the address.
 * Ends all sessions, API tokens and links, and removes passkeys and social accounts, except those whose provider has verified the same address.
 * `keepsUndo`: links that undo a change of the address remain. The transaction must have locked the account, as for `endAllAccess`.
 */
export const END_UNPROVEN_ACCESS = statement<[memberId: number, provenEmail: string, keepsUndo: boolean]>(
  'end_unproven_access',
  `with removed_passkeys as (delete from passkeys where member_id = $1),
   removed_links as (
     delete from social_links where member_id = $1 and (email is null or not ${isSameEmailSql('email', '$2')})
   ), removed_tokens as (
     delete from one_time_tokens where member_id = $1 and not ($3::boolean and purpose = 'undo')
   ), proven as (
     update members set registered_again = false where id = $1 and registered_again
   ), ended as (delete from sessions where member_id = $1), unshared as (delete from share_links where member_id = $1)
   delete from api_tokens where member_id = $1`,
);

/** Locks the account with an address. */
export const LOCK_BY_EMAIL = statement<[email: string], { id: number; email: string; isVerified: boolean }>(
  'lock_by_email',
  `select id, email, email_verified_at is not null as "isVerified" from members where ${isSameEmailSql('email', '$1')}
   for no key update`,
);

/** `provenEmail`: the address to which the member has proved access; it becomes verified if it is the current one. */
export const SET_PASSWORD = statement<[memberId: number, passwordHash: string, provenEmail: string | null]>(
  'set_password',
  `update members set password_hash = $2,
     email_verified_at = case when ${isSameEmailSql('email', '$3')} then coalesce(email_verified_at, now()) else email_verified_at end
   where id = $1`,
);

const IS_CONFIRMED_AS = `$3::boolean or (email_verified_at is not null and ${isSameEmailSql('email', '$2')})`;

/** `isProven`: false restores an address that was not confirmed, unless it is the current one and confirmed meanwhile. */
export const SET_EMAIL = statement<[memberId: number, email: string, isProven: boolean]>(
  'set_email',
  `update members set email = $2::text, registered_again = not (${IS_CONFIRMED_AS}),
     email_verified_at = case when ${IS_CONFIRMED_AS} then now() end
   where id = $1`,
);

/** One row if the member has this address. */
export const VERIFY_EMAIL = statement<[memberId: number, email: string], { id: number }>(
  'verify_email',
  `update members set email_verified_at = coalesce(email_verified_at, now())
   where id = $1 and ${isSameEmailSql('email', '$2')} returning id`,
);

/** Why a login of a member is rejected. `lockedAt`: null unless an operator has locked the account. */
export const LOCK_OF_MEMBER = statement<[memberId: number], { lockedAt: Date | null; isVerified: boolean }>(
  'lock_of_member',
  'select locked_at as "lockedAt", email_verified_at is not null as "isVerified" from members where id = $1',
);

/** Compare-and-set: no update if the password has changed meanwhile. */
export const REPLACE_PASSWORD_HASH = statement<[memberId: number, oldHash: string, newHash: string]>(
  'replace_password_hash',
  'update members set password_hash = $3 where id = $1 and password_hash = $2',
);

/** Locks the row in member_counts, not the one in members, so that logins and reads do not block. */
const LOCK_MEMBER = statement<[memberId: number, credentialId: string | null], { hasAccess: boolean }>(
  'lock_member_counts',
  `select ${hasAccessSql('$2')} as "hasAccess" from member_counts where member_id = $1 for update`,
);

/**
 * Makes a count taken afterwards valid until the transaction ends: other transactions that lock the same member wait.
 * @param credentialId of the session or API token; null without a request
 * @throws AppError UNAUTHENTICATED if the member has withdrawn, or the session or API token has ended since the beginning of the request
 */
export async function lockMember(db: Transaction, memberId: number, credentialId: string | null): Promise<void> {
  const [member] = await db.query(LOCK_MEMBER, [memberId, credentialId]);
  if (!member?.hasAccess) throw new AppError('UNAUTHENTICATED');
}
