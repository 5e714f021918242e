/** The lock of an account for changes, its login methods, and its end if it is never confirmed. */
import type { InferAttributes } from 'sequelize';
import { statement } from '../../platform/database/statement.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';
import { MEMBERS, type Member } from './member.js';

export type LockedAccount = InferAttributes<Member> & { suspension: Suspension | null };

/**
 * The lock of the session finds it deleted if another transaction has ended it while this one waited for the member, as
 * `endAllAccess` does: a condition on it would read what was visible before.
 */
export const LOCK_ACCOUNT = statement<[memberId: number, sessionId: string], LockedAccount>(
  'lock_account_of_session',
  `select ${MEMBERS.select('m')}, ${suspensionOf('m')} as suspension
   from members m join sessions s on s.member_id = m.id
   where m.id = $1 and m.locked_at is null and s.id = $2 and s.expires_at > now()
   for update of m for key share of s`,
);

/** A statement of its own: one that waits for a lock does not see what was committed meanwhile. */
export const HAS_LOGIN_METHOD = statement<[memberId: number], { exists: boolean }>(
  'has_login_method',
  `select exists (select from members where id = $1 and password_hash is not null)
       or exists (select from social_links where member_id = $1)
       or exists (select from passkeys where member_id = $1) as exists`,
);

/** A login sets `pending_since` to null. An operator may have transferred content to the account. */
export const DELETE_UNCONFIRMED = statement<[olderThanMs: number, limit: number], { id: number }>(
  'delete_unconfirmed_accounts',
  `delete from members where id = any (array(
     select id from members m
     where pending_since < now() - $1 * interval '1 millisecond' and email_verified_at is null
       and not exists (select from all_articles where member_id = m.id)
       and not exists (select from comments where member_id = m.id)
     order by pending_since limit $2 for update skip locked
   )) returning id`,
);
