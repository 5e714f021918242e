/** Splits a text into sentences without markup, each with the stems of its content words. */

import { withoutMarkup } from '../../models/article/excerpt.js';
import { chooseStems, plainWords, splitLongLine } from './words.js';

export interface Sentence {
  /** A single line without markup. */
  text: string;
  /** Stems, in order, with repetitions. */
  words: string[];
}

/** The locale does not matter: the sentence rules are the same in every language that is written with periods. */
const segmenter = new Intl.Segmenter('ko', { granularity: 'sentence' });

/** Fenced code blocks, which are of little use in a summary. An unclosed block extends to the end of the text. */
const FENCED_CODE = /^(?:```|~~~)[^\n]*\n[\s\S]*?(?:^(?:```|~~~)[ \t]*$|(?![\s\S]))/gm;

/** Headings, list items, quoted lines and HTML block elements are paragraphs of their own. */
const MARKED_LINES = /^[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}\.)[ \t].*$/gm;
const BLOCK_TAGS = /<\/?(?:p|div|br|hr|li|ul|ol|h[1-6]|blockquote|pre|table|tr|td|th|figure|figcaption)\b/gi;

/** Table rows, thematic breaks and underlines of headings. Matches a trimmed line. */
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

/** Joins the lines of each paragraph. An empty line ends a paragraph. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[][] = [[]];
  for (const line of text.split('\n').map((line) => line.trim())) {
    if (line === '') paragraphs.push([]);
    else if (!NO_SENTENCE.test(line)) paragraphs.at(-1)?.push(line);
  }
  return paragraphs.map((lines) => lines.join(' ').replace(/\s+/g, ' ')).filter((paragraph) => paragraph !== '');
}

function split(paragraph: string): string[] {
  const segments = splitLongLine(paragraph).flatMap((chunk) =>
    Array.from(segmenter.segment(chunk), ({ segment }) => segment),
  );
  return segments.map((segment) => segment.trim()).filter((segment) => segment !== '');
}
