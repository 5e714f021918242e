/** A text taken apart: its sentences without markup, each with the words that carry meaning. */
import { withoutMarkup } from '../../models/excerpt.js';
import { inPieces } from './pieces.js';
import { chooseStems, plainWords } from './words.js';

export interface Sentence {
  /** On one line. */
  text: string;
  /** Stems, in order, with repetitions. */
  words: string[];
}

/** The rules for sentences are the same in every language that is written with full stops. */
const segmenter = new Intl.Segmenter('ko', { granularity: 'sentence' });

/** Code in fences says little to those who read a summary. Without an end it goes on to the end of the text. */
const FENCED_CODE = /^(?:```|~~~)[^\n]*\n[\s\S]*?(?:^(?:```|~~~)[ \t]*$|(?![\s\S]))/gm;

/** Headings and items stand alone, and so does what HTML sets apart. */
const MARKED_LINES = /^[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}\.)[ \t].*$/gm;
const BLOCK_TAGS = /<\/?(?:p|div|br|hr|li|ul|ol|h[1-6]|blockquote|pre|table|tr|td|th|figure|figcaption)\b/gi;

/** Rows of tables, and lines that underline headings. Of a trimmed line. */
const NO_SENTENCE = /^(?:\|.*\||[-=*_|: \t]+)$/;

export function sentencesOf(content: string): Sentence[] {
  const apart = content.replace(FENCED_CODE, '\n\n').replace(MARKED_LINES, '\n\n$&\n\n').replace(BLOCK_TAGS, '\n\n$&');
  const lines = paragraphsOf(withoutMarkup(apart)).flatMap(split);
  const words = lines.map(plainWords);
  const stems = chooseStems(words);
  return lines.map((text, index) => ({
    text,
    words: (words[index] ?? []).flatMap((word) => stems.get(word) ?? []),
  }));
}

/** A paragraph may be broken into lines anywhere; what ends it is an empty one. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[][] = [[]];
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (line === '') paragraphs.push([]);
    else if (!NO_SENTENCE.test(line)) paragraphs.at(-1)?.push(line);
  }
  return paragraphs.map((lines) => lines.join(' ').replace(/\s+/g, ' ')).filter((paragraph) => paragraph !== '');
}

function split(paragraph: string): string[] {
  const segments = inPieces(paragraph).flatMap((piece) =>
    Array.from(segmenter.segment(piece), ({ segment }) => segment),
  );
  return segments.map((segment) => segment.trim()).filter((segment) => segment !== '');
}
