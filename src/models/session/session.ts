/** The sessions table: a session is one login on one device and a family of refresh tokens. It ends when its row is deleted. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';
import { isSameEmailSql } from '../../platform/email-address.js';
import type { Language } from '../../platform/messages/message.js';
import type { Role } from '../moderation/role.js';
import { type Suspension, suspensionOf } from '../moderation/suspension.js';
import type { EventKind } from './security-event.js';

export const MAX_SESSIONS = fixedLimit({
  area: 'Accounts',
  about: 'Sessions of a member. A further login ends the one that has not been used for the longest time.',
  value: 100,
  error: null,
});

/**
 * Locks a member who logs in, and the passkey or the link to a provider, if one is the login method: no session survives the end of one of them, a change of the
 * password or the locking of the account. No row if the member no longer exists or is locked, the password has changed meanwhile, the method was removed, or
 * a verified address is required (`requiresVerified`) and missing. `isNewDevice`: no stored login had this device, regardless of its version
 * numbers, and it is not the first login.
 */
export const LOCK_LOGIN = statement<
  [
    memberId: number,
    passwordHash: string | null,
    requiresVerified: boolean,
    passkeyId: number | null,
    provider: string | null,
    subject: string | null,
    device: string,
  ],
  { isNewDevice: boolean }
>(
  'lock_login',
  `with owner as (
     select id from members where id = $1 and locked_at is null and ($2::text is null or password_hash = $2)
       and (not $3::boolean or email_verified_at is not null) for no key update
   ), passkey as (
     select p.id from passkeys p join owner on owner.id = p.member_id where p.id = $4 for key share of p
   ), link as (
     select l.id from social_links l join owner on owner.id = l.member_id where l.provider = $5 and l.subject = $6 for key share of l
   )
   select exists (select from security_events where member_id = $1 and kind = 'LOGIN') and not exists (
     select from security_events where member_id = $1 and kind = 'LOGIN' and ${withoutVersions('device')} = ${withoutVersions('$7')}
   ) as "isNewDevice"
   from owner
   where ($4::bigint is null or exists (select from passkey)) and ($6::text is null or exists (select from link))`,
);

/**
 * The language becomes the one of the member's emails. `provenEmail`: the address that the login provider has verified; the member's own becomes verified if it
 * is the same.
 */
export const UPDATE_LOGGED_IN = statement<[memberId: number, language: Language, provenEmail: string | null]>(
  'update_logged_in_member',
  `update members set language = $2, pending_since = null,
     email_verified_at = case when ${isSameEmailSql('email', '$3')} then coalesce(email_verified_at, now()) else email_verified_at end
   where id = $1 and (language <> $2 or pending_since is not null or email_verified_at is null and ${isSameEmailSql('email', '$3')})`,
);

/** Deletes the expired sessions of a member, those that a further one exceeds the limit with, and events older than 180 days, of the oldest 100. */
export const REMOVE_OLD_SESSIONS = statement<[memberId: number]>(
  'remove_old_sessions',
  `with expired_events as (
     delete from security_events where id = any(array(
       select id from security_events where member_id = $1 order by id limit 100
     )) and created_at < now() - interval '180 days'
   )
   delete from sessions where member_id = $1 and (expires_at < now() or id in (
     select id from sessions where member_id = $1 order by last_used_at desc, id offset ${MAX_SESSIONS - 1}))`,
);

/** Opens a session of a member who is locked, and records a LOGIN event. */
export const OPEN_SESSION = statement<
  [
    sessionId: string,
    memberId: number,
    refreshHash: Buffer,
    issuedAt: Date,
    expiresAt: Date,
    address: string,
    device: string,
    provider: string | null,
  ]
>(
  'open_session',
  `with opened as (
     insert into sessions (id, member_id, refresh_hash, issued_at, expires_at, address, device)
     values ($1, $2, $3, $4, $5, $6, $7) returning id, member_id
   )
   insert into security_events (member_id, kind, provider, session_id, address, device)
   select member_id, 'LOGIN', $8, id, $6, $7 from opened`,
);

/** A browser that was updated is the same device. */
function withoutVersions(device: string): string {
  return `regexp_replace(${device}, '[0-9][0-9._]*', '', 'g')`;
}

/** One row if the session has not expired and belongs to this member. */
export const LIVE_SESSION = statement<
  [sessionId: string, memberId: number],
  { isStale: boolean; role: Role; suspension: Suspension | null }
>(
  'live_session',
  `select s.last_used_at < now() - interval '5 minutes' as "isStale", m.role, ${suspensionOf('m')} as suspension
   from sessions s join members m on m.id = s.member_id where s.id = $1 and s.member_id = $2 and s.expires_at > now()`,
);

/** Those of the sessions and API tokens that exist and have not expired. `isSuspended`: an API token of a suspended member, which permits nothing. */
export const LIVE_ACCESS = statement<[ids: string[]], { id: string; isSuspended: boolean }>(
  'live_access',
  `select id, false as "isSuspended" from sessions where id = any($1::uuid[]) and expires_at > now()
   union all
   select t.id, coalesce(m.suspended_until > now(), false) from api_tokens t join members m on m.id = t.member_id
   where t.id = any($1::uuid[]) and coalesce(t.expires_at > now(), true)`,
);

/** Ends all sessions, API tokens and share links of a member (`endAllAccess`). */
export const END_ALL_ACCESS = statement<[memberId: number]>(
  'end_all_access',
  `with ended as (delete from sessions where member_id = $1), unshared as (delete from share_links where member_id = $1)
   delete from api_tokens where member_id = $1`,
);

export const TOUCH_SESSION = statement<[sessionId: string, address: string, device: string]>(
  'touch_session',
  'update sessions set last_used_at = now(), address = $2, device = $3 where id = $1',
);

/** Replaces the current refresh token with its successor; of several concurrent calls only one returns a row. */
export const ROTATE_SESSION = statement<
  [
    sessionId: string,
    memberId: number,
    hash: Buffer,
    newHash: Buffer,
    issuedAt: Date,
    expiresAt: Date,
    address: string,
    device: string,
  ],
  { generation: number }
>(
  'rotate_session',
  `update sessions
   set generation = generation + 1, previous_hash = refresh_hash, refresh_hash = $4, issued_at = $5, expires_at = $6,
       rotated_at = now(), last_used_at = now(), address = $7, device = $8
   where id = $1 and member_id = $2 and refresh_hash = $3 and expires_at > now()
   returning generation`,
);

export interface Successor {
  generation: number;
  issuedAt: Date;
  expiresAt: Date;
  refreshHash: Buffer;
  /** Whether the given token is the previous one and was replaced within the grace period. */
  isJustRetired: boolean;
}

/** The current token of the session of a replaced refresh token. */
export const SUCCESSOR = statement<[sessionId: string, memberId: number, hash: Buffer, graceMs: number], Successor>(
  'session_successor',
  `select generation, issued_at as "issuedAt", expires_at as "expiresAt", refresh_hash as "refreshHash",
          coalesce(previous_hash = $3 and rotated_at > now() - $4::integer * interval '1 ms', false) as "isJustRetired"
   from sessions where id = $1 and member_id = $2 and expires_at > now()`,
);

/** The readable columns. */
const SESSION = new ColumnList({
  id: column<string>('id'),
  device: column<string>('device'),
  address: column<string>('address'),
  createdAt: column<Date>('created_at'),
  lastUsedAt: column<Date>('last_used_at'),
});

export type SessionRow = Row<typeof SESSION>;

/** Most recently used first. */
export const MEMBER_SESSIONS = statement<[memberId: number], SessionRow>(
  'member_sessions',
  `select ${SESSION.select} from sessions where member_id = $1 and expires_at > now() order by last_used_at desc, id`,
);

/** Ends one session of a member and records a security event. */
export const END_SESSION = statement<
  [sessionId: string, memberId: number, kind: EventKind, address: string, device: string],
  SessionRow
>(
  'end_session',
  `with ended as (delete from sessions where id = $1 and member_id = $2 returning *),
   event as (
     insert into security_events (member_id, kind, session_id, address, device)
     select member_id, $3, id, $4, $5 from ended
   )
   select ${SESSION.select} from ended`,
);

/**
 * Ends all sessions of a member except one, and records a security event for each that had not expired. `hasNewPassword`: also deletes
 * the one-time tokens that a change of the password supersedes.
 */
export const END_OTHER_SESSIONS = statement<
  [memberId: number, sessionId: string, kind: EventKind, address: string, device: string, hasNewPassword: boolean],
  SessionRow
>(
  'end_other_sessions',
  `with ended as (delete from sessions where member_id = $1 and id <> $2 returning *),
   event as (
     insert into security_events (member_id, kind, session_id, address, device)
     select member_id, $3, id, $4, $5 from ended where expires_at > now()
   ), superseded as (
     delete from one_time_tokens where $6::boolean and member_id = $1 and purpose <> 'undo'
   )
   select ${SESSION.select} from ended where expires_at > now()`,
);
