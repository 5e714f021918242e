/** Extractive summary: the highest-ranked sentences of a text in their original order, and its key words as tags. */
import type { Summary } from '../../models/summary.js';
import { keyWords } from './key-words.js';
import { rankSentences } from './sentence-rank.js';
import { type Sentence, sentencesOf } from './sentences.js';

const MOST_SENTENCES = 3;
/** Code points of the whole summary. */
const LONGEST = 400;
/** Code points. Shorter sentences are mostly headings, greetings or list items. */
const SHORTEST_SENTENCE = 15;
/** A sentence is skipped where a larger share of its words occurs in sentences that are already chosen. */
const MOST_REPEATED = 0.6;

export function extract(content: string): Summary {
  const sentences = sentencesOf(content);
  const telling = sentences.filter(({ text, words }) => words.length >= 3 && [...text].length >= SHORTEST_SENTENCE);
  const candidates = telling.length > 0 ? telling : sentences;
  return { summary: join(choose(candidates)) || cut(content.replace(/\s+/g, ' ').trim()), tags: keyWords(sentences) };
}

/** Greedy choice by score, within the number and the total length; returns the sentences in the order of the text. */
function choose(candidates: readonly Sentence[]): Sentence[] {
  const scores = rankSentences(candidates.map(({ words }) => words));
  const order = candidates.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const chosen = new Set<number>();
  const said = new Set<string>();
  let left = LONGEST;
  for (const index of order) {
    if (chosen.size === MOST_SENTENCES) break;
    const { text, words } = candidates[index] as Sentence;
    const length = [...text].length + 1;
    const repeated = words.filter((word) => said.has(word)).length;
    if (chosen.size > 0 && (length > left || repeated > words.length * MOST_REPEATED)) continue;
    chosen.add(index);
    left -= length;
    for (const word of words) said.add(word);
  }
  return candidates.filter((_, index) => chosen.has(index));
}

function join(sentences: readonly Sentence[]): string {
  return cut(sentences.map(({ text }) => text).join(' '));
}

function cut(text: string): string {
  const points = [...text];
  return points.length <= LONGEST
    ? text
    : `${points
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`;
}
