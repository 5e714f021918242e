/** Lower-case mapping of letters beyond ASCII, generated explicitly so that the result does not depend on locale or library version. */

/** Code point ranges whose case mapping is stable: the result is the same with every Unicode version since 9. */
const BLOCKS: [first: number, last: number][] = [
  [0x00c0, 0x024f], // Latin
  [0x1e00, 0x1eff],
  [0x0370, 0x03ff], // Greek
  [0x1f00, 0x1fff],
  [0x0400, 0x052f], // Cyrillic
  [0x0531, 0x0556], // Armenian
  [0x2160, 0x216f], // Roman numerals
  [0x24b6, 0x24cf], // circled Latin letters
  [0xff21, 0xff3a], // fullwidth Latin letters
];

/** Mappings that differ from toLowerCase(): İ loses its dot above, and final sigma maps to sigma, as in Unicode case folding. */
const EXCEPTIONS = new Map([
  ['İ', 'i'],
  ['ς', 'σ'],
]);

/**
 * PL/pgSQL that converts the variable `folded` to lower case. translate() compares each character with each in its list, so it
 * is called only for blocks of which the text contains a capital letter.
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
