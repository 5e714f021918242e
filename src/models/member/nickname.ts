/** Generated nicknames for members who did not choose one. */
import { randomInt } from 'node:crypto';
import type { Transaction } from '../../platform/database/pool.js';
import { toDisplayName } from '../../platform/display-name/rules.js';
import { skeletonOf } from '../../platform/display-name/skeleton.js';
import { LOCK_NICKNAME, TAKEN_NICKNAMES } from './member.js';

const LONGEST = 30;
/** Number of candidates that one statement checks. */
const CANDIDATES = 20;

/**
 * A free nickname derived from a member's name: the name itself if possible, else with the first free number up to 20 appended,
 * else with a random number, so that many members with the same name do not need many statements. Concurrent registrations
 * with the same name are serialized by an advisory lock until the transaction ends. A member who chooses the same nickname
 * concurrently can still take it first: the unique index decides.
 */
export async function freeNickname(db: Transaction, memberName: string): Promise<string> {
  const name = toDisplayName(memberName);
  await db.query(LOCK_NICKNAME, [skeletonOf(name)]);
  for (let round = 0; ; round++) {
    const numberAt = (index: number) => (round === 0 ? index + 1 : randomInt(10 ** (3 + Math.min(round, 6))));
    const candidates = Array.from({ length: CANDIDATES }, (_, index) => numbered(name, numberAt(index)));
    const rows = await db.query(TAKEN_NICKNAMES, [candidates, candidates.map(skeletonOf)]);
    const taken = new Set(rows.map(({ nickname }) => nickname));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
}

/** Appends the number; 1 only to a name of one character, since a nickname has at least two. */
function numbered(name: string, number: number): string {
  const points = [...name];
  const suffix = number === 1 && points.length > 1 ? '' : String(number);
  return points.slice(0, LONGEST - suffix.length).join('') + suffix;
}
