/** Audit trail of security events of accounts. Contains no secrets. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';

/** Enforced by a trigger on the table. */
export const MAX_EVENTS_PER_KIND = fixedLimit({
  area: 'Accounts',
  about: 'Stored security events of each kind for a member. A new one replaces the oldest.',
  value: 1_000,
  error: null,
});

export const EVENT_KINDS = {
  LOGIN: 'A login created a session.',
  LOGIN_FAILED: 'A login was rejected.',
  LOGOUT: 'A session was ended by a logout on its device.',
  SESSION_ENDED: 'A session was ended from another device.',
  REFRESH_REUSED:
    'A refresh token was reused after the grace period: the session was ended, since the token may have been stolen.',
  PASSWORD_CHANGED: 'The password was changed or set for the first time; all other sessions were ended.',
  PASSWORD_RESET_REQUESTED: 'A link for a new password was requested, by email or by an operator.',
  PASSWORD_RESET: 'The password was set with a link; all sessions and API tokens were ended.',
  EMAIL_CHANGE_REQUESTED: 'Another email address was entered; it replaces the current one when it is confirmed.',
  EMAIL_CHANGED: 'The new email address was confirmed.',
  EMAIL_CHANGE_UNDONE: 'The change of the email address was undone; all sessions and API tokens were ended.',
  EMAIL_VERIFIED: 'The email address was confirmed, by a link or by an operator.',
  PASSWORD_REFUSED: 'A request with a valid session contained a wrong current password.',
  API_TOKEN_CREATED: 'An API token was created, by the member or an operator.',
  API_TOKEN_DELETED: 'An API token was deleted.',
  ARCHIVE_DOWNLOADED: 'A download of the archive of the account was started.',
  COMMENT_HIDDEN: 'A comment on an article of the member was hidden, by the member or an operator.',
  COMMENT_SHOWN: 'A hidden comment on an article of the member was shown again.',
  COMMENT_APPROVED: 'A held comment on an article of the member was approved, by the member or a moderator.',
  COMMENT_REJECTED: 'A held comment on an article of the member was deleted, by the member or a moderator.',
  ACCOUNT_CREATED: 'An operator created the account, with a link for its first password.',
  ACCOUNT_LOCKED: 'An operator locked the account; all sessions and API tokens were ended.',
  ACCOUNT_UNLOCKED: 'An operator unlocked the account.',
  ROLE_CHANGED: 'The role of the member was changed, by an admin or an operator.',
  ROLE_ASSIGNED: 'The member, an admin, changed the role of another member.',
  MEMBER_SUSPENDED: 'The member was suspended.',
  MEMBER_UNSUSPENDED: 'The suspension of the member was ended before its time.',
  CONTENT_REMOVED: 'A moderator or an operator removed an article or a comment of the member.',
  CONTENT_RESTORED: 'A removed article or comment of the member was restored.',
  DECISION_MADE: 'The member, a moderator, made a decision on another member or their content.',
  DECISION_APPEALED: 'The member appealed a decision of a moderator.',
  ACCOUNT_DELETED: 'An operator deleted the account.',
  ARTICLE_DELETED: 'An operator deleted an article of the member.',
  COMMENT_DELETED: 'An operator deleted a comment of the member.',
  CONTENT_CLAIMED: 'An operator transferred the articles and comments of an imported author to the member.',
  PASSKEY_ADDED: 'A passkey was registered.',
  PASSKEY_RENAMED: 'A passkey was renamed.',
  PASSKEY_REMOVED: 'A passkey was removed.',
  PASSKEY_REFUSED:
    'A login with a passkey had a valid signature, but an older counter or another backup eligibility, and was rejected: the passkey may have been copied.',
  SOCIAL_LINKED: 'A social account was linked.',
  SOCIAL_UNLINKED: 'A social account was unlinked.',
  WEBHOOK_CREATED: 'The member, an admin, created a webhook.',
  WEBHOOK_CHANGED: 'The member, an admin, changed, disabled or resumed a webhook.',
  WEBHOOK_DELETED: 'The member, an admin, deleted a webhook.',
  WEBHOOK_SECRET_ROTATED: 'The member, an admin, replaced the secret of a webhook.',
} as const;

export type EventKind = keyof typeof EVENT_KINDS;

/** The readable columns. */
const SECURITY_EVENT = new ColumnList({
  id: column<number>('id'),
  kind: column<EventKind>('kind'),
  provider: column<string | null>('provider'),
  address: column<string>('address'),
  device: column<string>('device'),
  createdAt: column<Date>('created_at'),
});

export type SecurityEventRow = Row<typeof SECURITY_EVENT>;

/** Records an event, and deletes up to 100 events without a member that are older than 30 days. */
export const RECORD_EVENT = statement<
  [
    memberId: number | null,
    kind: EventKind,
    provider: string | null,
    sessionId: string | null,
    address: string,
    device: string,
  ]
>(
  'record_event',
  `with forgotten as (
     delete from security_events where id = any(array(
       select id from security_events where member_id is null and created_at < now() - interval '30 days'
       order by created_at limit 100))
   )
   insert into security_events (member_id, kind, provider, session_id, address, device) values ($1, $2, $3, $4, $5, $6)`,
);

/** Newest first. */
export const MEMBER_EVENTS = statement<[memberId: number, size: number, offset: number], SecurityEventRow>(
  'member_events',
  `select ${SECURITY_EVENT.select}
   from security_events where member_id = $1 order by id desc limit $2 offset $3`,
);

export const COUNT_MEMBER_EVENTS = statement<[memberId: number], { total: number }>(
  'count_member_events',
  'select count(*) as total from security_events where member_id = $1',
);

/** One row if the member has logged in from this network before. */
export const IS_KNOWN_NETWORK = statement<[memberId: number, network: string], { id: number }>(
  'is_known_network',
  `select id from security_events
   where member_id = $1 and kind = 'LOGIN' and nullif(address, '')::inet <<= nullif($2, '')::inet
   order by id desc limit 1`,
);
