/** Names in the environment that are probably misspelled settings: they would have no effect, without an error. */
import { settingGroups } from './settings/index.js';

/** Shorter names of settings, such as PORT, resemble the names of other programs. */
const SHORTEST = 6;

/** @returns a sentence for each misspelled setting */
export function misspelledSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = settingGroups.flatMap(({ settings }) => Object.keys(settings));
  const unknown = Object.keys(env).filter((name) => /^[A-Z\d_]{5,60}$/.test(name) && !known.includes(name));
  return unknown.flatMap((name) => {
    const near = known.find((one) => one.length >= SHORTEST && distance(name, one) <= (one.length > 8 ? 2 : 1));
    return near ? [`${name} is not a setting and has no effect: did you mean ${near}?`] : [];
  });
}

/** Levenshtein distance; 3 if the lengths differ by more than 2. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, expected] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === expected ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
