/** Spellings of one word that the folded texts of the search distinguish: letters and marks that look like apostrophes, and the Turkish dotless i. */
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { normalizeSpace } from './text.js';

const APOSTROPHES = "'׳ʻ´`ʾʿʽʹ՚ꞌˈˊˋ＇";
const QUOTES = '"ʺ״＂';

/** For `translate` in SQL, and `foldSpelling`: each character of the first one becomes the one at its position in the second one. */
export const SPELLINGS = {
  from: `${APOSTROPHES.slice(1)}${QUOTES.slice(1)}ı`,
  to: `${"'".repeat(APOSTROPHES.length - 1)}${'"'.repeat(QUOTES.length - 1)}i`,
};

/** With those that keyboards insert, which the search folds. */
const ANY_APOSTROPHE = new RegExp(`[‘’‚‛ʼ′${APOSTROPHES}]`, 'g');
const ANY_QUOTE = new RegExp(`[“”„‟″${QUOTES}]`, 'g');

/** A word with more of these letters has only two of its spellings. */
const MAX_DOTLESS = 4;
/** Those of the more frequent characters come first. docs/search.md has their cost. */
const MAX_SPELLINGS = fixedLimit({
  area: 'Database',
  about:
    'Spellings in which a word of a search keyword is found, by its apostrophes, quotation marks and letters `I` and `ı`.',
  value: 24,
  error: null,
});

/** Of the same length. */
export function foldSpelling(text: string): string {
  return text.replace(/[`´ʹ-ˋ՚׳״ꞌ＂＇ı]/g, (one) => {
    const at = SPELLINGS.from.indexOf(one);
    return at < 0 ? one : SPELLINGS.to.charAt(at);
  });
}

/**
 * For each word of a keyword, the spellings that texts can have. A capital `I` is `i` or, in Turkish, `ı`, whose capital letter it is.
 * @returns null if each word has one
 */
export function spellingsOf(keyword: string): string[][] | null {
  const words = normalizeSpace(keyword).split(' ').filter(Boolean);
  const spellings = words.map((word) => {
    const usual = word.replace(ANY_APOSTROPHE, "'").replace(ANY_QUOTE, '"');
    // Hardly any text has several kinds of unusual characters in one word.
    const marked = [APOSTROPHES, QUOTES].flatMap((marks) => withEach(usual, marks));
    return [...new Set([word, ...withDotless(usual), ...marked])].slice(0, MAX_SPELLINGS);
  });
  return spellings.some((all) => all.length > 1) ? spellings : null;
}

/** All of the characters of a word are the same one. */
function withEach(word: string, characters: string): string[] {
  const any = new RegExp(`[${characters}]`, 'g');
  return any.test(word) ? [...characters].map((one) => word.replace(any, one)) : [word];
}

function withDotless(word: string): string[] {
  const [first = '', ...others] = word.split(/[Iı]/);
  if (others.length > MAX_DOTLESS) return ['i', 'ı'].map((letter) => [first, ...others].join(letter));
  return others.reduce(
    (starts, other) => starts.flatMap((start) => [`${start}i${other}`, `${start}ı${other}`]),
    [first],
  );
}
