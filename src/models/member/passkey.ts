/** The passkeys table: WebAuthn credential records (Level 3 §4); and the challenges that have been used. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { ColumnList, column, type Row } from '../../platform/database/columns.js';
import { statement } from '../../platform/database/statement.js';

export const MAX_PASSKEYS = fixedLimit({
  area: 'Accounts',
  about: 'Passkeys of a member.',
  value: 20,
  error: 'VALIDATION_FAILED',
});

/** The readable columns. */
const PASSKEY = new ColumnList({
  id: column<number>('id'),
  name: column<string>('name'),
  credentialId: column<Buffer>('credential_id'),
  transports: column<string[]>('transports'),
  isBackedUp: column<boolean>('is_backed_up'),
  createdAt: column<Date>('created_at'),
  lastUsedAt: column<Date | null>('last_used_at'),
});

export type PasskeyRow = Row<typeof PASSKEY>;

/** Oldest first. */
export const MEMBER_PASSKEYS = statement<[memberId: number], PasskeyRow>(
  'member_passkeys',
  `select ${PASSKEY.select} from passkeys where member_id = $1 order by id`,
);

/** The account that a new passkey is for. */
export interface PasskeyUser {
  /** A UUID. */
  userHandle: string;
  email: string | null;
  nickname: string;
}

/** No row before the first registration, in which `ASSIGN_USER_HANDLE` follows. */
export const PASSKEY_USER = statement<[memberId: number], PasskeyUser>(
  'passkey_user',
  'select user_handle as "userHandle", email, nickname from members where id = $1 and user_handle is not null',
);

/** Concurrent calls return the same user handle. */
export const ASSIGN_USER_HANDLE = statement<[memberId: number], PasskeyUser>(
  'assign_user_handle',
  `update members set user_handle = coalesce(user_handle, gen_random_uuid()) where id = $1
   returning user_handle as "userHandle", email, nickname`,
);

/** What verifies a login. */
export interface CredentialRecord {
  id: number;
  memberId: number;
  /** Of the member, a UUID. */
  userHandle: string;
  /** A COSE key. */
  publicKey: Buffer;
  counter: number;
  isBackupEligible: boolean;
}

export const CREDENTIAL_RECORD = statement<[credentialId: Buffer], CredentialRecord>(
  'credential_record',
  `select p.id, p.member_id as "memberId", m.user_handle as "userHandle", p.public_key as "publicKey", p.counter,
          p.is_backup_eligible as "isBackupEligible"
   from passkeys p join members m on m.id = p.member_id where p.credential_id = $1`,
);

/**
 * Records the use of a challenge and of the passkey. No row if the challenge has been used, also by a concurrent login, or a login with the
 * same or a higher counter has been recorded meanwhile.
 */
export const USE_PASSKEY = statement<
  [passkeyId: number, challenge: Buffer, expiresAt: Date, counter: number, isBackedUp: boolean],
  { id: number }
>(
  'use_passkey',
  `with used as (
     insert into used_challenges (signature, expires_at) values ($2, $3) on conflict do nothing returning signature
   )
   update passkeys set counter = $4, is_backed_up = $5, last_used_at = now()
   where id = $1 and exists (select from used) and (counter < $4 or (counter = 0 and $4 = 0))
   returning id`,
);

/** One row unless the challenge has been used. */
export const USE_CHALLENGE = statement<[challenge: Buffer, expiresAt: Date], { expiresAt: Date }>(
  'use_challenge',
  'insert into used_challenges (signature, expires_at) values ($1, $2) on conflict do nothing returning expires_at as "expiresAt"',
);

/** Long after they expired, since the clock of a process may differ slightly from that of the database. */
export const DELETE_EXPIRED_CHALLENGES = statement<[batch: number], { deleted: number }>(
  'delete_expired_challenges',
  `with deleted as (
     delete from used_challenges where signature in (
       select signature from used_challenges where expires_at < now() - interval '1 hour' order by expires_at limit $1) returning signature
   )
   select count(*) as deleted from deleted`,
);

export const COUNT_PASSKEYS = statement<[memberId: number], { count: number }>(
  'count_passkeys',
  'select count(*) as count from passkeys where member_id = $1',
);

/** No row if the credential is registered, for any member. */
export const ADD_PASSKEY = statement<
  [
    memberId: number,
    name: string,
    credentialId: Buffer,
    publicKey: Buffer,
    counter: number,
    transports: string[],
    isBackupEligible: boolean,
    isBackedUp: boolean,
  ],
  PasskeyRow
>(
  'add_passkey',
  `insert into passkeys (member_id, name, credential_id, public_key, counter, transports, is_backup_eligible, is_backed_up)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning ${PASSKEY.select}`,
);

export const RENAME_PASSKEY = statement<[passkeyId: number, memberId: number, name: string], PasskeyRow>(
  'rename_passkey',
  `update passkeys set name = $3 where id = $1 and member_id = $2 and require_not_suspended(member_id) returning ${PASSKEY.select}`,
);

export const REMOVE_PASSKEY = statement<[passkeyId: number, memberId: number], PasskeyRow>(
  'remove_passkey',
  `delete from passkeys where id = $1 and member_id = $2 returning ${PASSKEY.select}`,
);
