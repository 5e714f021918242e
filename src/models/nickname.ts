/** Nicknames for members who chose none. */
import type { Transaction } from 'sequelize';
import type { Database } from './database.js';
import { TAKEN_NICKNAMES } from './member.js';

const LONGEST = 30;
const TRIES_AT_ONCE = 20;

/**
 * A nickname from a member's name that nobody has: the name itself where it can be one, or with the first number that
 * is free after it. Another member may still take it first: the unique index decides.
 */
export async function freeNickname(database: Database, memberName: string, transaction?: Transaction): Promise<string> {
  for (let first = 1; ; first += TRIES_AT_ONCE) {
    const candidates = Array.from({ length: TRIES_AT_ONCE }, (_, index) => numbered(memberName, first + index));
    const rows = await database.query(TAKEN_NICKNAMES, [candidates], transaction);
    const taken = new Set(rows.map(({ nickname }) => nickname));
    const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase()));
    if (free !== undefined) return free;
  }
}

function numbered(name: string, number: number): string {
  const points = [...name];
  // A nickname has at least two characters, a name may have one.
  const suffix = number === 1 && points.length > 1 ? '' : String(number);
  return points.slice(0, LONGEST - suffix.length).join('') + suffix;
}
