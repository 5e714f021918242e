/** Skeletons of display names (UTS 39 §4): names that look alike have the same skeleton. */
import { CONFUSABLES } from './confusables.js';

/** Characters that are not visible. U+2800, the blank Braille pattern, is listed since Unicode classifies it as a symbol. */
export const INVISIBLE = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu');

/**
 * The uniqueness key of a display name. UTS 39 leaves case to the application: here names are compared both as displayed and without
 * case, so the skeleton is case-folded and its skeleton is taken again. Capital I is confusable with small l, so i is mapped to l:
 * otherwise MlNA (with a small L) would not collide with mina.
 */
export function skeletonOf(name: string): string {
  const visible = name.normalize('NFKC').replace(INVISIBLES, '').replace(/\s+/g, ' ').trim();
  return replaceConfusables(foldCase(replaceConfusables(visible))).replaceAll('i', 'l');
}

function replaceConfusables(text: string): string {
  const prototypeOf = prototypes();
  return Array.from(text.normalize('NFD'), (character) => prototypeOf.get(character) ?? character)
    .join('')
    .normalize('NFD');
}

/** Close to Unicode's full case folding: ß and ẞ become ss. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

let parsed: ReadonlyMap<string, string> | undefined;

/** Parsed on first use: most command-line processes do not need it. */
function prototypes(): ReadonlyMap<string, string> {
  parsed ??= new Map(CONFUSABLES.split(';').flatMap(parseEntry));
  return parsed;
}

function parseEntry(entry: string): [source: string, prototype: string][] {
  const [prototype = [], sources = []] = entry.split(':').map((side) => side.match(/\w+/g)?.map(toCharacter));
  return sources.map((source) => [source, prototype.join('')]);
}

function toCharacter(hex: string): string {
  return String.fromCodePoint(Number.parseInt(hex, 16));
}
