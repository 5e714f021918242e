/** README.txt of a member's archive, with a description of each file. */
import { MEMBER_FILES } from './member-files.js';

/** @param missing names of images that are missing in the store, and so in the archive */
export function describeArchive(now: Date, missing: readonly string[]): string {
  const width = Math.max(...MEMBER_FILES.map(({ name }) => name.length));
  const files = MEMBER_FILES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
  return [
    `Your data in Daybook, as it was at ${now.toISOString()}`,
    '',
    'This is everything that is kept about you. The files are JSON in UTF-8, which programs and text editors read.',
    'Times are in UTC (ISO 8601). Lists are in the order in which things came to be, the oldest first.',
    '',
    ...files,
    `  ${'images/'.padEnd(width)}  Your profile image and those of your articles, under the names that the files above give.`,
    '',
    ...missingImages(missing),
    'What others wrote, also on your articles, is theirs and not in here. Passwords and the keys of sessions are kept only',
    'in a form that cannot be turned back, and are not in here either.',
    '',
  ].join('\n');
}

function missingImages(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return ['These images were not found in the store:', ...missing.map((name) => `  ${name}`), ''];
}
