/** Splits a text into sentences, each with the stems of its content words. */
import { proseOf } from '../../../models/article/text.js';
import { chooseStems, plainWords, splitLongLine } from './words.js';

export interface Sentence {
  /** A single line. */
  text: string;
  /** Stems, in order, with repetitions. */
  words: string[];
}

/** The locale does not matter: the sentence rules are the same in every language that is written with periods. */
const segmenter = new Intl.Segmenter('ko', { granularity: 'sentence' });

/** @param content a visible text, as `models/article/text.ts` describes it. Tables and code are of little use in a summary. */
export function sentencesOf(content: string): Sentence[] {
  const lines = proseOf(content).flatMap(split);
  const words = lines.map(plainWords);
  const stems = chooseStems(words);
  return lines.map((text, index) => ({
    text,
    words: (words[index] ?? []).flatMap((word) => stems.get(word) ?? []),
  }));
}

function split(paragraph: string): string[] {
  const segments = splitLongLine(paragraph).flatMap((chunk) =>
    Array.from(segmenter.segment(chunk), ({ segment }) => segment),
  );
  return segments.map((segment) => segment.trim()).filter((segment) => segment !== '');
}
