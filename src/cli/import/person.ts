/** The authors and commenters of an export, and the keys that identify them in later imports. */
import { createHash } from 'node:crypto';
import { toDisplayName } from '../../platform/display-name/rules.js';
import { emailKey } from '../../platform/email-address.js';
import { plainLine, shorten } from './text.js';

const MAX_NAME_LENGTH = 30;

export interface Person {
  /** Lookup keys of earlier imports, in order of preference. A new member is stored under the last one. */
  readonly keys: readonly [string, ...string[]];
  /** 1 to 30 code points. */
  readonly name: string;
}

/** An author (an account of the blog): identified by email, else by login. */
export function authorPerson(login: string, email: string, displayName: string): Person {
  const name = plainLine(displayName) || plainLine(login) || 'Anonymous';
  const address = toAddress(email);
  return { keys: [address ? keyOf(address) : keyOf('login', toLogin(login))], name: shorten(name, MAX_NAME_LENGTH) };
}

/**
 * A commenter: the author with the same email, if any, else identified by email and name together. One email under
 * several names gives several people, since the blog showed the comments under those names.
 */
export function commenterPerson(name: string, email: string): Person {
  const shown = plainLine(name) || 'Anonymous';
  const address = toAddress(email);
  const commenterKey = keyOf('commenter', address, shown.toLowerCase());
  return { keys: address ? [keyOf(address), commenterKey] : [commenterKey], name: shorten(shown, MAX_NAME_LENGTH) };
}

/** Normalizes a login for comparison. Some real exports contain stray characters that are not valid in a login. */
export function toLogin(login: string): string {
  return plainLine(login)
    .replace(/[^\p{L}\p{M}\p{N} _.@*-]/gu, '')
    .toLowerCase();
}

function toAddress(email: string): string {
  return emailKey(plainLine(email));
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
