/** Responses to changes, stored under the Idempotency-Key of the request. Expired rows count as absent. */
import { IDEMPOTENCY_LOCKS } from '../platform/database/locks.js';
import { statement } from '../platform/database/statement.js';
import type { Reader } from './reader.js';

export interface StoredResponse {
  /** HMAC of the operation and its input. */
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a response without a body. */
  readonly body: string | null;
  /** Whether content of other members that it shows was deleted or hidden since, or is that of a blocked member. */
  readonly isRemoved: boolean;
}

/** The ids of what a response shows of other members, of the member's articles, and of notifications, which can be about private articles and drafts. */
export interface ShownRows {
  readonly comments: readonly number[];
  readonly articles: readonly number[];
  readonly members: readonly number[];
  readonly notifications: readonly number[];
  readonly series: readonly number[];
  /** Not all API tokens of the member see those that are private. */
  readonly ownArticles: readonly number[];
}

/** A key and what is stored under it; the columns of a response are null if nothing is. */
type Found = StoredResponse | { readonly [Name in keyof StoredResponse]: null };

/** `lock`: the second key of the advisory lock that a request holds until its transaction ends. */
export const lockOf = (id: Buffer): number => id.readInt32BE(0);

/** `k`: the row of the key, `s`: what it shows. */
const RESPONSE = 'k.fingerprint, k.status, k.headers, k.body, s.is_removed as "isRemoved"';
const isCurrent = (maxAgeMs: string) => `k.created_at > now() - ${maxAgeMs} * interval '1 millisecond'`;

/**
 * Claims a key for a request. Where another request holds the lock, neither row nor lock is waited for, so that no connection waits.
 * If that request commits while this statement runs, the key is neither claimed nor found: repeat the statement then.
 */
export const CLAIM_KEY = statement<
  [id: Buffer, lock: number, memberId: number | null, fingerprint: Buffer, maxAgeMs: number, reader: Reader],
  { isFree: boolean; isClaimed: boolean } & Found
>(
  'claim_idempotency_key',
  `with key_lock as materialized (
     select pg_try_advisory_xact_lock(${IDEMPOTENCY_LOCKS}, $2) as is_free
   ), claimed as (
     insert into idempotency_keys as k (id, member_id, fingerprint)
     select $1, $3::bigint, $4::bytea from key_lock where is_free
     on conflict (id) do update
       set fingerprint = excluded.fingerprint, status = null, created_at = now()
       where not (${isCurrent('$5')})
     returning id
   )
   select key_lock.is_free as "isFree", exists (select from claimed) as "isClaimed", ${RESPONSE}
   from key_lock left join idempotency_keys k on k.id = $1 and ${isCurrent('$5')} cross join lateral shows_removed(k.shown, $6) s`,
);

/** `isFree`: no request with this key is running. It may have ended after the response was looked for. */
export const FIND_RESPONSE = statement<
  [id: Buffer, lock: number, maxAgeMs: number, reader: Reader],
  { isFree: boolean } & Found
>(
  'find_idempotent_response',
  `select key_lock.is_free as "isFree", ${RESPONSE}
   from (select pg_try_advisory_xact_lock(${IDEMPOTENCY_LOCKS}, $2) as is_free) key_lock
     left join idempotency_keys k on k.id = $1 and ${isCurrent('$3')} cross join lateral shows_removed(k.shown, $4) s`,
);

/**
 * `createdId`: the member whose account an anonymous request created. `shown` without the comments whose content the member did not see. No
 * effect if the request deleted its member.
 */
export const STORE_RESPONSE = statement<
  [
    id: Buffer,
    createdId: number | null,
    status: number,
    headers: string,
    body: string | null,
    shown: ShownRows | null,
    reader: Reader,
  ]
>(
  'store_idempotent_response',
  `update idempotency_keys set member_id = coalesce(member_id, $2), status = $3, headers = $4::jsonb, body = $5,
     shown = $6::jsonb || jsonb_build_object('comments', (
       select coalesce(jsonb_agg(c.id), '[]')
       from jsonb_array_elements_text($6::jsonb->'comments') x (id) cross join lateral comment_with_content(x.id::bigint, $7) c))
   where id = $1`,
);

/** Completes a stored body that contains the marker. @returns the body that is stored then: of concurrent requests, that of the first */
export const COMPLETE_RESPONSE = statement<[id: Buffer, body: string, marker: string], { body: string }>(
  'complete_idempotent_response',
  `update idempotency_keys set body = case when position($3 in body) > 0 then $2 else body end
   where id = $1 and status is not null returning body`,
);

/** Deletes the oldest expired keys, at most `maxRows`. */
export const DELETE_EXPIRED_KEYS = statement<[maxAgeMs: number, maxRows: number], { deleted: number }>(
  'delete_expired_idempotency_keys',
  `with deleted as (
     delete from idempotency_keys where id = any (array(
       select k.id from idempotency_keys k where not (${isCurrent('$1')}) order by k.created_at limit $2
       for update skip locked
     )) returning 1
   )
   select count(*) as deleted from deleted`,
);
