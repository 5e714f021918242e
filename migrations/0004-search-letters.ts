/** Capital letters beyond ASCII and their small ones, written out so that no locale and no library version has a say. */

/** Code points of blocks that have long been settled: what comes out is the same with every version of Unicode since 9. */
const BLOCKS: [first: number, last: number][] = [
  [0x00c0, 0x024f], // Latin
  [0x1e00, 0x1eff],
  [0x0370, 0x03ff], // Greek
  [0x1f00, 0x1fff],
  [0x0400, 0x052f], // Cyrillic
  [0x0531, 0x0556], // Armenian
  [0x2160, 0x216f], // Roman numerals
  [0x24b6, 0x24cf], // in circles
  [0xff21, 0xff3a], // of full width
];

/** What Unicode's simple case folding says otherwise than toLowerCase(): the dot of İ goes, and sigma has one form. */
const EXCEPTIONS = new Map([
  ['İ', 'i'],
  ['ς', 'σ'],
]);

/**
 * PL/pgSQL that puts the variable `folded` into lower case. translate() compares each character with each in its list, so it
 * is called only for a block that the text has a capital of.
 */
export const caseFolding = BLOCKS.map(([first, last]) => {
  const pairs = pairsOf(first, last);
  const capitals = pairs.map(([capital]) => capital).join('');
  const small = pairs.map(([, letter]) => letter).join('');
  return `if folded ~ '[${capitals}]' collate "C" then folded := translate(folded, '${capitals}', '${small}'); end if;`;
}).join('\n  ');

function pairsOf(first: number, last: number): [capital: string, small: string][] {
  const letters = Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
  return letters.flatMap((letter) => {
    const small = EXCEPTIONS.get(letter) ?? letter.toLowerCase();
    return small !== letter && [...small].length === 1 ? [[letter, small] as [string, string]] : [];
  });
}
