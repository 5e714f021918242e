/** The sample journal: eight authors, four who write in Korean and four in English, some of them translated, with comments on each other, and two other members. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseAuthor, type SeedAuthor } from './entry.js';

const SAMPLE = new URL('../../../../sample/', import.meta.url);
const KEYS = ['haneul', 'doyun', 'seojin', 'yuna', 'theo', 'amara', 'jonas', 'priya', 'lena', 'bargain'];

export const AUTHORS: readonly SeedAuthor[] = KEYS.map((key) =>
  parseAuthor(key, readFileSync(new URL(`${key}.md`, SAMPLE), 'utf8')),
);

/** The picture in the content of an article, a JPEG as from a camera. */
export const CONTENT_PICTURE = 'picture.jpg';

export function readPicture(file: string): Promise<Buffer> {
  return readFile(new URL(file, SAMPLE));
}

export function emailOf(key: string): string {
  return `${key}@example.org`;
}
