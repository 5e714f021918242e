/** The content words of a text, stemmed: Korean words without particles, English words without plural or possessive endings. */
import { isFunctionWord } from './stop-words.js';

const segmenter = new Intl.Segmenter('ko', { granularity: 'word' });

/** Particles that follow a Korean noun, longer ones first. No noun ends in one of these. */
const PARTICLES = [
  ...[
    '에서부터',
    '으로부터',
    '이라는',
    '에게서',
    '으로서',
    '으로써',
    '까지는',
    '에서는',
    '에서도',
    '으로는',
    '이라고',
    '입니다',
  ],
  ...[
    '에서',
    '에게',
    '으로',
    '까지',
    '부터',
    '처럼',
    '보다',
    '마다',
    '조차',
    '이란',
    '라는',
    '에는',
    '에도',
    '들은',
    '들이',
    '들을',
    '들의',
  ],
  ...['을', '를', '은', '는', '에'],
];
/** Particles in which nouns can end too (고양이, 소설가, 민주주의), so a single occurrence is no evidence. */
const DOUBTFUL = ['이', '가', '의', '도', '로', '과', '와', '만', '나', '께', '들'];

const HANGUL = /^\p{Script=Hangul}+$/u;
const LATIN = /^[\p{Script=Latin}'’]+$/u;

/** @returns the words of a line in lower case (NFKC), in order */
export function plainWords(line: string): string[] {
  const segments = splitLongLine(line).flatMap((chunk) => [...segmenter.segment(chunk)]);
  const words = segments.filter(({ segment, isWordLike }) => isWordLike && /\p{L}/u.test(segment));
  return words.map(({ segment }) => segment.normalize('NFKC').toLowerCase());
}

/**
 * The stem of each word; no entry for function words and for stems that are too short. Whether an ending is a particle or
 * part of the word is decided by the text itself: the stem that occurs with more different endings is chosen.
 *
 * @param lines the words of each line
 */
export function chooseStems(lines: readonly (readonly string[])[]): Map<string, string> {
  const all = new Set(lines.flat());
  const endings = new Map<string, Set<string>>();
  for (const word of all) {
    for (const [stem, ending] of divisions(word)) endings.set(stem, (endings.get(stem) ?? new Set()).add(ending));
  }
  const stems = new Map<string, string>();
  for (const word of all) {
    const stem = isFunctionWord(word) ? '' : best(word, endings);
    if (isSignificant(stem)) stems.set(word, stem);
  }
  return stems;
}

/** All divisions of a word into a stem and an ending, the whole word first. */
function divisions(word: string): [stem: string, ending: string][] {
  const whole: [string, string] = [word, ''];
  if (LATIN.test(word)) {
    const singular = word.replace(/['’]s$|s['’]?$/, '');
    return singular !== word && singular.length >= 3 ? [whole, [singular, 's']] : [whole];
  }
  if (!HANGUL.test(word)) return [whole];
  const found = [...PARTICLES, ...DOUBTFUL].filter(
    (particle) => word.endsWith(particle) && word.length - particle.length >= 2,
  );
  return [whole, ...found.map((particle): [string, string] => [word.slice(0, -particle.length), particle])];
}

function best(word: string, endings: ReadonlyMap<string, ReadonlySet<string>>): string {
  const [whole, ...others] = divisions(word);
  let [chosen] = whole ?? [word];
  let maxEvidence = endings.get(chosen)?.size ?? 0;
  for (const [stem, ending] of others) {
    const evidence = endings.get(stem)?.size ?? 0;
    // With equal evidence, a particle in which no noun ends is removed.
    if (evidence > maxEvidence || (evidence === maxEvidence && PARTICLES.includes(ending)))
      [chosen, maxEvidence] = [stem, evidence];
  }
  return chosen;
}

function isSignificant(stem: string): boolean {
  return [...stem].length >= (LATIN.test(stem) ? 3 : 2) && !isFunctionWord(stem);
}

/** Maximum length of a chunk in UTF-16 code units; few paragraphs are longer. */
const MAX_CHUNK_LENGTH = 2_000;

/**
 * Splits a long line into chunks, because the running time of Intl.Segmenter grows with the square of the text's length.
 * Breaks at the last space within the maximum length, else at it, but never within a surrogate pair.
 */
export function splitLongLine(line: string): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < line.length; ) {
    const end =
      start + MAX_CHUNK_LENGTH < line.length ? breakBefore(line, start, start + MAX_CHUNK_LENGTH) : line.length;
    chunks.push(line.slice(start, end));
    start = end;
  }
  return chunks;
}

function breakBefore(line: string, start: number, end: number): number {
  const space = line.lastIndexOf(' ', end);
  if (space > start) return space;
  const isWithinPair = /[\ud800-\udbff]/.test(line.charAt(end - 1));
  return isWithinPair ? end - 1 : end;
}
