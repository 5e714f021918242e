/** TextRank over words (Mihalcea and Tarau, 2004): a word ranks high where it co-occurs with many words that rank high. */
import type { Sentence } from './sentences.js';

const MOST_TAGS = 5;
/** Code points. */
const LONGEST_TAG = 10;
/** Co-occurrence window: the maximum distance, in words, between two neighbors. */
const WINDOW = 2;
const DAMPING = 0.85;
const STEPS = 30;

type Neighbors = Map<number, number>;

/** @returns key words by descending score; words with the same score in the order of the text */
export function keyWords(sentences: readonly Sentence[]): string[] {
  const numbers = new Map<string, number>();
  const graph: Neighbors[] = [];
  for (const { words } of sentences)
    join(
      words.map((word) => numberOf(word, numbers, graph)),
      graph,
    );
  const scores = rank(graph);
  return [...numbers]
    .filter(([word]) => [...word].length <= LONGEST_TAG)
    .sort(([, a], [, b]) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    .slice(0, MOST_TAGS)
    .map(([word]) => word);
}

function numberOf(word: string, numbers: Map<string, number>, graph: Neighbors[]): number {
  const number = numbers.get(word);
  if (number !== undefined) return number;
  numbers.set(word, graph.length);
  return graph.push(new Map()) - 1;
}

function join(words: readonly number[], graph: readonly Neighbors[]): void {
  words.forEach((word, at) => {
    for (const other of words.slice(at + 1, at + 1 + WINDOW)) {
      if (other === word) continue;
      graph[word]?.set(other, (graph[word]?.get(other) ?? 0) + 1);
      graph[other]?.set(word, (graph[other]?.get(word) ?? 0) + 1);
    }
  });
}

function rank(graph: readonly Neighbors[]): number[] {
  const ties = graph.map((neighbors) => [...neighbors.values()].reduce((sum, weight) => sum + weight, 0));
  let scores = graph.map(() => 1);
  for (let step = 0; step < STEPS; step++) {
    scores = graph.map((neighbors) => {
      let received = 0;
      for (const [other, weight] of neighbors) received += ((scores[other] ?? 0) * weight) / (ties[other] || 1);
      return 1 - DAMPING + DAMPING * received;
    });
  }
  return scores;
}
