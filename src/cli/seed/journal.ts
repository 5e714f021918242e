/** The sample journal: eight members, four who write in Korean and four in English, with comments on each other. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseAuthor, type SeedAuthor } from './entry.js';

const SAMPLE = new URL('../../../../sample/', import.meta.url);
const KEYS = ['haneul', 'doyun', 'seojin', 'yuna', 'theo', 'amara', 'jonas', 'priya'];

export const AUTHORS: readonly SeedAuthor[] = KEYS.map((key) =>
  parseAuthor(key, readFileSync(new URL(`${key}.md`, SAMPLE), 'utf8')),
);

/** The picture of an article, a JPEG as from a camera. */
export function readPicture(): Promise<Buffer> {
  return readFile(new URL('picture.jpg', SAMPLE));
}

export function emailOf(key: string): string {
  return `${key}@example.org`;
}
