/** Extractive summary in a worker thread: the highest-ranked sentences of a text in their original order, and its key words as tags. */
import { parentPort } from 'node:worker_threads';
import type { Summary } from '../../../models/summary.js';
import { truncate } from '../../../platform/text.js';
import { keyWords } from './key-words.js';
import { rankSentences } from './sentence-rank.js';
import { type Sentence, sentencesOf } from './sentences.js';

const MAX_SENTENCES = 3;
/** Code points of the whole summary. */
const MAX_LENGTH = 400;
/** Code points. Shorter sentences are mostly headings, greetings or list items. */
const MIN_SENTENCE_LENGTH = 15;
/** A sentence is skipped if more than this share of its words occurs in the sentences already selected. */
const MAX_REPEATED_SHARE = 0.6;

export function extract(content: string): Summary {
  const sentences = sentencesOf(content);
  const substantial = sentences.filter(
    ({ text, words }) => words.length >= 3 && [...text].length >= MIN_SENTENCE_LENGTH,
  );
  const candidates = substantial.length > 0 ? substantial : sentences;
  const chosen = choose(candidates).map(({ text }) => text);
  const summary = truncate(chosen.join(' ') || content.replace(/\s+/g, ' ').trim(), MAX_LENGTH);
  return { summary, tags: keyWords(sentences) };
}

/** Greedy choice by score, within the number and the total length; returns the sentences in the order of the text. */
function choose(candidates: readonly Sentence[]): Sentence[] {
  const scores = rankSentences(candidates.map(({ words }) => words));
  const order = candidates.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const chosen = new Set<number>();
  const usedWords = new Set<string>();
  let left = MAX_LENGTH;
  for (const index of order) {
    if (chosen.size === MAX_SENTENCES) break;
    const { text, words } = candidates[index] as Sentence;
    const length = [...text].length + 1;
    const repeated = words.filter((word) => usedWords.has(word)).length;
    if (chosen.size > 0 && (length > left || repeated > words.length * MAX_REPEATED_SHARE)) continue;
    chosen.add(index);
    left -= length;
    for (const word of words) usedWords.add(word);
  }
  return candidates.filter((_, index) => chosen.has(index));
}

// As a worker: `ready` after loading, then one summary for each message.
parentPort?.on('message', (content: string) => parentPort?.postMessage(extract(content)));
parentPort?.postMessage('ready');
