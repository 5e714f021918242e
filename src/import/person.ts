/** The authors and commenters of a source, and the keys that identify them in later imports. */
import { createHash } from 'node:crypto';
import { MAX_BIO_LENGTH } from '../models/member/member.js';
import { MAX_NAME_LENGTH, toDisplayName } from '../platform/display-name/rules.js';
import { emailKey } from '../platform/email-address.js';
import { validDate } from './dates.js';
import type { SourcePerson, SourceProfile } from './source.js';
import { shorten, storable } from './text.js';

const MAX_GIVEN_LENGTH = 100;

export interface Person {
  /** Lookup keys of earlier imports, in order of preference. A new member is stored under the last one. */
  readonly keys: readonly [string, ...string[]];
  /** 1 to 30 code points. */
  readonly name: string;
  /** The name in the source, for the report; absent if it is `name`. */
  readonly given?: string;
  /** Of a member who was there before. */
  readonly memberId?: number;
  /** Of a new member. */
  readonly bio?: string;
  readonly createdAt?: Date | null;
}

/** The member of `--author`. */
export function memberPerson(memberId: number): Person {
  return { keys: [`member ${memberId}`], name: '', memberId };
}

/**
 * Accounts of the source are matched by email, or by their key if there is none. A commenter without an account is the author with the same email; if there is none, email
 * and name together identify the commenter. One email under several names gives several people, since the source showed the comments under those names.
 */
export function personOf({ key, name, email }: SourcePerson): Person {
  const shown = plainName(name) || plainName(key ?? '') || 'Anonymous';
  const address = emailKey(plainName(email ?? ''));
  const short = shorten(shown, MAX_NAME_LENGTH);
  const named = { name: short, ...(short !== shown && { given: shorten(shown, MAX_GIVEN_LENGTH) }) };
  if (key !== null) return { keys: [address ? keyOf(address) : keyOf('login', key)], ...named };
  const commenterKey = keyOf('commenter', address, shown.toLowerCase());
  return { keys: address ? [keyOf(address), commenterKey] : [commenterKey], ...named };
}

/** A member of an export of this service. */
export function profiledPerson(source: SourcePerson, { bio, createdAt }: SourceProfile): Person {
  return { ...personOf(source), bio: shorten(storable(bio), MAX_BIO_LENGTH), createdAt: validDate(createdAt) };
}

function plainName(text: string): string {
  return storable(text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Only a hash is stored: an unconfirmed email must not reserve an account, give access to one, or be displayed. */
function keyOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/**
 * The nickname to try in `round` (from 0): the name itself if it is long enough, then with a number as in registration, from round 5 on
 * with the member id, which no concurrent import uses. Nicknames have 2 to 30 code points.
 */
export function nicknameFor(name: string, memberId: number, round: number): string {
  const points = [...toDisplayName(name)];
  const number = round < 5 ? round + 1 : memberId;
  const suffix = number === 1 && points.length >= 2 ? '' : `${number}${round > 5 ? `-${round}` : ''}`;
  return points.slice(0, MAX_NAME_LENGTH - suffix.length).join('') + suffix;
}
