/** The sample journal: eight members, four who write in Korean and four in English, with comments on each other. */
import { amara } from './articles/amara.js';
import { doyun } from './articles/doyun.js';
import { haneul } from './articles/haneul.js';
import { jonas } from './articles/jonas.js';
import { priya } from './articles/priya.js';
import { seojin } from './articles/seojin.js';
import { theo } from './articles/theo.js';
import { yuna } from './articles/yuna.js';
import type { SeedAuthor } from './entry.js';

export const AUTHORS: readonly SeedAuthor[] = [haneul, doyun, seojin, yuna, theo, amara, jonas, priya];

export function emailOf(key: string): string {
  return `${key}@example.org`;
}
