/** Skeletons of display names (UTS 39 §4): two names that look alike have the same one. */
import { CONFUSABLES } from './confusables.js';

/** Characters without an appearance of their own. U+2800, the blank Braille pattern, is a symbol to Unicode. */
export const INVISIBLE = String.raw`\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;

const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu');

/**
 * The key under which a display name is unique. UTS 39 leaves case to its user: names are compared without it here, and as they are
 * displayed. So the skeleton of the name is folded, and the skeleton taken again. Capital I looks like small l, so i counts as l too:
 * otherwise MlNA (with a small L) would not be taken for mina.
 */
export function skeletonOf(name: string): string {
  const visible = name.normalize('NFKC').replace(INVISIBLES, '').replace(/\s+/g, ' ').trim();
  return replaceConfusables(foldCase(replaceConfusables(visible))).replaceAll('i', 'l');
}

function replaceConfusables(text: string): string {
  const known = prototypes();
  return Array.from(text.normalize('NFD'), (character) => known.get(character) ?? character)
    .join('')
    .normalize('NFD');
}

/** Close to Unicode's full case folding: ß and ẞ become ss. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

let parsed: ReadonlyMap<string, string> | undefined;

/** Parsed on first use: most processes of the command line never need it. */
function prototypes(): ReadonlyMap<string, string> {
  parsed ??= new Map(CONFUSABLES.trim().split('\n').flatMap(parseLine));
  return parsed;
}

function parseLine(line: string): [source: string, prototype: string][] {
  const [prototype = '', sources = ''] = line.split(': ');
  return sources.split(' ').map((source) => [toText(source), toText(prototype)]);
}

function toText(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split(' ').map((hex) => Number.parseInt(hex, 16)));
}
