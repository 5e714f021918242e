/** README.txt of a member's archive, with a description of each file. */
import { MEMBER_FILES } from './member-files.js';

/** @param missing names of images that are missing in the store, and so in the archive */
export function describeArchive(now: Date, missing: readonly string[]): string {
  const width = Math.max(...MEMBER_FILES.map(({ name }) => name.length));
  const files = MEMBER_FILES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    `Your data in Daybook, as it was at ${now.toISOString()}`,
    '',
    'This archive contains all data stored about you. The files are JSON in UTF-8.',
    'Times are in UTC (ISO 8601). Lists are in order of creation, the oldest first.',
    '',
    ...files,
    `  ${'images/'.padEnd(width)}  Your profile image and those of your articles, under the names in the files above.`,
    '',
    ...missingImages(missing),
    'Content of other members, including comments on your articles, is not included. Passwords and session keys are stored only',
    'as irreversible hashes, and are not included.',
    '',
  ].join('\n');
}

function missingImages(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return ['These images were not found in the image storage:', ...missing.map((name) => `  ${name}`), ''];
}
