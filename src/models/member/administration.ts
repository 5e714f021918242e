/** Statements of the subcommands for members. */
import { statement } from '../../platform/database/statement.js';
import { isSameEmailSql } from '../../platform/email-address.js';
import type { Role, RoleOfMember } from '../moderation/role.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';
import { IS_PENDING, PLACEHOLDER_DOMAIN } from './member.js';

export interface AdministeredMember {
  id: number;
  email: string | null;
  emailVerified: boolean;
  nickname: string;
  memberName: string;
  createdAt: Date;
  /** Null unless the account is locked. */
  lockedAt: Date | null;
  role: Role;
  suspension: Suspension | null;
  passwordHash: string | null;
  /** Login providers of the linked social accounts. */
  providers: string[];
  passkeys: number;
  /** With the private ones. */
  articles: number;
  comments: number;
  /** Sessions that have not expired. */
  sessions: number;
  /** API tokens that have not expired. */
  apiTokens: number;
}

const SELECT = `
  select m.id, m.email, m.email_verified_at is not null as "emailVerified", m.nickname, m.member_name as "memberName", m.created_at as "createdAt", m.locked_at as "lockedAt",
         m.role, ${suspensionOf('m')} as suspension,
         m.password_hash as "passwordHash",
         array(select provider::text from social_links where member_id = m.id order by provider) as providers,
         (select count(*)::integer from passkeys where member_id = m.id) as passkeys,
         c.articles + c.private_articles as articles, c.comments,
         (select count(*)::integer from sessions where member_id = m.id and expires_at > now()) as sessions,
         (select count(*)::integer from api_tokens
          where member_id = m.id and coalesce(expires_at > now(), true)) as "apiTokens"
  from members m join member_counts c on c.member_id = m.id`;

export const ADMINISTERED_MEMBER = statement<[id: string | null, email: string | null], AdministeredMember>(
  'administered_member',
  `${SELECT} where m.id = $1::bigint or ${isSameEmailSql('m.email', '$2')}`,
);

/** In the order of ids, without the placeholders of registrations with a taken address. `search`: part of the nickname or email, ignoring case; null for all. */
export const ADMINISTERED_MEMBERS = statement<
  [afterId: number, search: string | null, isLockedOnly: boolean, size: number],
  AdministeredMember
>(
  'administered_members',
  `${SELECT}
   where m.id > $1 and ($2::text is null or strpos(lower(concat_ws(' ', m.nickname, m.email)), lower($2)) > 0)
     and (not $3::boolean or m.locked_at is not null)
     and (m.pending_since is null or m.email not like '%@${PLACEHOLDER_DOMAIN}')
   order by m.id limit $4`,
);

/** One row if it was not locked. Its sessions and API tokens remain: `endAllAccess` ends them. */
export const LOCK_ACCOUNT = statement<[memberId: number], { id: number }>(
  'lock_account',
  'update members set locked_at = now() where id = $1 and locked_at is null returning id',
);

export const UNLOCK_ACCOUNT = statement<[memberId: number], { id: number }>(
  'unlock_account',
  'update members set locked_at = null where id = $1 and locked_at is not null returning id',
);

/**
 * The roles of some members and of all admins, locked in the order of their ids until the transaction ends: of two admins who change each other's role,
 * the second finds its own changed. The first lock of these rows in a transaction.
 */
export const LOCK_ROLES = statement<[memberIds: readonly number[]], RoleOfMember>(
  'lock_roles',
  `select id, role from members where (id = any($1::bigint[]) or role = 'ADMIN') and not (${IS_PENDING}) order by id for update`,
);

export const SET_ROLE = statement<[memberId: number, role: Role]>(
  'set_role',
  'update members set role = $2 where id = $1',
);

/** As a change of login methods locks it (FOR UPDATE). No row for a locked account. */
export const LOCK_UNLOCKED_MEMBER = statement<[memberId: number], { id: number }>(
  'lock_unlocked_member',
  'select id from members where id = $1 and locked_at is null for update',
);
