/** Nicknames for members who chose none. */
import { randomInt } from 'node:crypto';
import type { Transaction } from 'sequelize';
import type { Database } from '../database/pool.js';
import { toDisplayName } from '../display-name/rules.js';
import { skeletonOf } from '../display-name/skeleton.js';
import { LOCK_NICKNAME, TAKEN_NICKNAMES } from './member.js';

const LONGEST = 30;
/** Candidates that one statement looks up. */
const CANDIDATES = 20;

/**
 * A nickname from a member's name that nobody has: the name itself where it can be one, or with the first number up to 20
 * that is free after it, or else with a random one, so that many members of one name do not take many statements. Members
 * of one name who register at once wait for each other, until the transaction ends. Someone who chooses this very nickname
 * can still be first: the unique index decides.
 */
export async function freeNickname(database: Database, memberName: string, transaction: Transaction): Promise<string> {
  const name = toDisplayName(memberName);
  await database.query(LOCK_NICKNAME, [skeletonOf(name)], transaction);
  for (let round = 0; ; round++) {
    const numberAt = (index: number) => (round === 0 ? index + 1 : randomInt(10 ** (3 + Math.min(round, 6))));
    const candidates = Array.from({ length: CANDIDATES }, (_, index) => numbered(name, numberAt(index)));
    const rows = await database.query(TAKEN_NICKNAMES, [candidates, candidates.map(skeletonOf)], transaction);
    const taken = new Set(rows.map(({ nickname }) => nickname));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
}

/** A nickname has at least two characters, a name may have one. */
function numbered(name: string, number: number): string {
  const points = [...name];
  const suffix = number === 1 && points.length > 1 ? '' : String(number);
  return points.slice(0, LONGEST - suffix.length).join('') + suffix;
}
