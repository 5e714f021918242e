/** Who wrote: the people of an export, and how they are known again. */
import { createHash } from 'node:crypto';
import { toDisplayName } from '../../display-name/rules.js';
import { plainLine, shorten } from './text.js';

const NAME_LIMIT = 30;

export interface Person {
  /** What the journal may know this person by, the likeliest first. The last is what a new member is kept under. */
  readonly keys: readonly [string, ...string[]];
  /** 1 to 30 code points. */
  readonly name: string;
}

/** An author, who has an account in the blog: known by email, else by login. */
export function authorPerson(login: string, email: string, displayName: string): Person {
  const name = plainLine(displayName) || plainLine(login) || 'Anonymous';
  const address = toAddress(email);
  return { keys: [address ? keyOf(address) : keyOf('login', toLogin(login))], name: shorten(name, NAME_LIMIT) };
}

/**
 * A commenter: an author where the email is an author's, else known by email and name together. One address under
 * several names stays several people, since the blog showed their words under those names.
 */
export function commenterPerson(name: string, email: string): Person {
  const shown = plainLine(name) || 'Anonymous';
  const address = toAddress(email);
  const own = keyOf('commenter', address, shown.toLowerCase());
  return { keys: address ? [keyOf(address), own] : [own], name: shorten(shown, NAME_LIMIT) };
}

/** A login as it can be compared. Files have been seen with stray characters that no login can contain. */
export function toLogin(login: string): string {
  return plainLine(login)
    .replace(/[^\p{L}\p{M}\p{N} _.@*-]/gu, '')
    .toLowerCase();
}

function toAddress(email: string): string {
  return plainLine(email).toLowerCase();
}

/** Only a hash is kept: an address that nobody confirmed must neither reserve nor open an account, nor be shown. */
function keyOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/**
 * The nickname that an import tries in its `round`: the name itself where it can be one, then with a number as a registration would, at
 * last with the member's own id, which no other import tries too. Nicknames have 2 to 30 code points.
 */
export function nicknameFor(name: string, memberId: number, round: number): string {
  const points = [...toDisplayName(name)];
  const number = round < 5 ? round + 1 : memberId;
  const suffix = number === 1 && points.length >= 2 ? '' : `${number}${round > 5 ? `-${round}` : ''}`;
  return points.slice(0, NAME_LIMIT - suffix.length).join('') + suffix;
}
