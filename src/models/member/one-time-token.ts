/** The one_time_tokens table: links for passwords and addresses. Only hashes of the tokens are stored; a row is deleted when it is used. */
import ms from 'ms';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { statement } from '../../platform/database/statement.js';
import { isSameEmailSql } from '../../platform/email-address.js';

/** `confirm`: confirms the current address. `change`: confirms the address that then becomes the current one. */
export type TokenPurpose = 'reset' | 'confirm' | 'change' | 'undo';

const LIFETIME = { area: 'Accounts', unit: 'ms', error: 'TOKEN_INVALID' } as const;
const CONFIRMATION_MS = fixedLimit({
  ...LIFETIME,
  value: ms('3d'),
  about: 'Validity of a link that confirms an email address.',
});

export const TOKEN_LIFETIMES_MS: Readonly<Record<TokenPurpose, number>> = {
  reset: fixedLimit({ ...LIFETIME, value: ms('1h'), about: 'Validity of a link for a new password.' }),
  confirm: CONFIRMATION_MS,
  change: CONFIRMATION_MS,
  undo: fixedLimit({
    ...LIFETIME,
    value: ms('7d'),
    about: 'Validity of a link that undoes a change of the email address.',
  }),
};

export const UNCONFIRMED_MS = fixedLimit({
  area: 'Accounts',
  about:
    'Age at which an account is deleted that was registered with `REQUIRE_VERIFIED_EMAIL`, without an invitation, and never confirmed or used.',
  value: ms('7d'),
  unit: 'ms',
  error: null,
});

const REPLACE_EARLIER = `on conflict (member_id, purpose) where purpose <> 'undo'
   do update set token_hash = excluded.token_hash, email = excluded.email, created_at = now(), expires_at = excluded.expires_at`;

/** Replaces an earlier token of the purpose, except for `undo`. Deletes up to 100 expired tokens of other members. */
export const ADD_ONE_TIME_TOKEN = statement<
  [tokenHash: Buffer, memberId: number, purpose: TokenPurpose, email: string | null, lifetimeMs: number]
>(
  'add_one_time_token',
  `with expired as (
     delete from one_time_tokens where id = any (array(
       select id from one_time_tokens where expires_at < now() and member_id <> $2
       order by expires_at limit 100 for update skip locked))
   )
   insert into one_time_tokens (token_hash, member_id, purpose, email, expires_at, was_confirmed)
   values ($1, $2, $3, $4, now() + $5::bigint * interval '1 ms',
     coalesce((select email_verified_at is not null from members where id = $2), false))
   ${REPLACE_EARLIER}`,
);

/**
 * Records that an address was registered again before its first proof, and if `isMailed`, creates another token that confirms it.
 * @returns no row without such an account
 */
export const REGISTER_AGAIN = statement<
  [memberId: number | null, isMailed: boolean, tokenHash: Buffer, lifetimeMs: number],
  { memberId: number }
>(
  'register_again',
  `with again as (
     update members set registered_again = true where id = $1 and email is not null and email_verified_at is null
     returning id, email
   ), renewed as (
     insert into one_time_tokens (token_hash, member_id, purpose, email, expires_at)
     select $3, id, 'confirm', email, now() + $4::bigint * interval '1 ms' from again where $2::boolean
     ${REPLACE_EARLIER}
   )
   select id as "memberId" from again`,
);

/** Replaces the token of the newest change to an address, without extending it: the link to undo the change must remain valid for longer. */
export const RENEW_CHANGE_TOKEN = statement<
  [email: string, tokenHash: Buffer],
  { memberId: number; email: string; nickname: string }
>(
  'renew_change_token',
  `update one_time_tokens set token_hash = $2 where id = (
     select id from one_time_tokens where purpose = 'change' and ${isSameEmailSql('email', '$1')} and expires_at > now()
     order by created_at desc, id desc limit 1 for update)
   returning member_id as "memberId", email, (select nickname from members where id = member_id) as nickname`,
);

/** One row if the token can be used. */
export const VALID_ONE_TIME_TOKEN = statement<
  [tokenHash: Buffer, purposes: readonly TokenPurpose[]],
  { memberId: number }
>(
  'valid_one_time_token',
  `select member_id as "memberId" from one_time_tokens
   where token_hash = $1 and purpose = any($2::text[]) and expires_at > now()`,
);

export interface UsedToken {
  id: number;
  purpose: TokenPurpose;
  email: string | null;
  /** Of a link that undoes a change: whether the address was confirmed before. */
  wasConfirmed: boolean;
}

/** Of concurrent transactions that use a token, one gets a row. */
export const USE_ONE_TIME_TOKEN = statement<[tokenHash: Buffer, purposes: readonly TokenPurpose[]], UsedToken>(
  'use_one_time_token',
  `delete from one_time_tokens where token_hash = $1 and purpose = any($2::text[]) and expires_at > now()
   returning id, purpose, email, was_confirmed as "wasConfirmed"`,
);

/** Deletes all tokens of a member but those that undo a change of the address; of these, the ones after `undoneId`, if it is given. */
export const SUPERSEDE_TOKENS = statement<[memberId: number, undoneId: number | null]>(
  'supersede_tokens',
  `delete from one_time_tokens where member_id = $1 and (purpose <> 'undo' or id > $2)`,
);

/** The member who has this address, or whose link can restore it. `isUnproven`: it is the current address, and was never confirmed. */
export const OWNER_OF_EMAIL = statement<[email: string], { id: number; isUnproven: boolean }>(
  'owner_of_email',
  `select id, email_verified_at is null as "isUnproven" from members where ${isSameEmailSql('email', '$1')}
   union all
   select member_id, false from one_time_tokens where purpose = 'undo' and ${isSameEmailSql('email', '$1')} and expires_at > now()
   limit 1`,
);

/** What a request for a link is about, and where it came from. */
export interface LinkRequest {
  purpose: 'reset' | 'confirm';
  email: string;
  address: string;
  device: string;
}

export const ADD_LINK_REQUEST = statement<
  [purpose: LinkRequest['purpose'], email: string, address: string, device: string],
  { id: string }
>(
  'add_link_request',
  'insert into link_requests (purpose, email, address, device) values ($1, $2, $3, $4) returning id',
);

/** One row if the address of the request has an account. */
export const MEMBER_OF_LINK_REQUEST = statement<[id: string], { memberId: number }>(
  'member_of_link_request',
  `select m.id as "memberId" from link_requests r join members m on ${isSameEmailSql('m.email', 'r.email')} where r.id = $1`,
);

/** Also deletes requests whose job was lost. */
export const TAKE_LINK_REQUEST = statement<[id: string], LinkRequest>(
  'take_link_request',
  `with lost as (delete from link_requests where created_at < now() - interval '1 day' and id <> $1)
   delete from link_requests where id = $1 returning purpose, email, address, device`,
);
