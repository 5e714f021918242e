/** Names in the environment that are probably misspelled settings: they would have no effect, without an error. */
import { settingGroups } from './settings/index.js';

/** Shorter names, such as PORT, resemble those of other programs: only two exchanged letters are reported. */
const SHORT = 5;

/** @returns a sentence for each misspelled setting */
export function misspelledSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = settingGroups.flatMap(({ settings }) => Object.keys(settings));
  const unknown = Object.keys(env).filter((name) => /^[A-Z\d_]{4,60}$/.test(name) && !known.includes(name));
  return unknown.flatMap((name) => {
    const near = known.find((one) => isNear(name, one));
    return near ? [`${name} is not a setting and has no effect: did you mean ${near}?`] : [];
  });
}

function isNear(name: string, setting: string): boolean {
  if (setting.length > SHORT) return distance(name, setting) <= (setting.length > 8 ? 2 : 1);
  const isAnagram = [...name].sort().join() === [...setting].sort().join();
  return isAnagram && distance(name, setting) === 1;
}

/** Number of inserted, removed, replaced or exchanged adjacent letters (optimal string alignment); 3 if the lengths differ by more than 2. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j++) {
      const isExchanged = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const exchanged = isExchanged ? at(i - 2, j - 2) + 1 : replaced;
      rows[i]?.push(Math.min(replaced, exchanged, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(one.length, other.length);
}
