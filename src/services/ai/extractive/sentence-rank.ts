/**
 * TextRank over sentences (Mihalcea and Tarau, 2004): sentences that are most similar to the others rank highest. The
 * similarity is the cosine of the word vectors, weighted by inverse frequency, so that the similarity matrix is never
 * built: with V the sentences as unit vectors, it is V·Vᵀ, and each iteration takes two passes over the words.
 */

const DAMPING = 0.85;
const STEPS = 30;

interface Vector {
  words: readonly number[];
  weights: readonly number[];
}

/** @param sentences the words of each sentence. @returns a score for each sentence */
export function rankSentences(sentences: readonly (readonly string[])[]): number[] {
  const { vectors, size } = toVectors(sentences);
  // The sum of a sentence's similarities to all others, without its similarity to itself, which is 1.
  const ties = byWords(
    vectors,
    size,
    vectors.map(() => 1),
  ).map((sum, index) => sum - selfOf(vectors[index]));
  let scores = vectors.map(() => 1 / vectors.length);
  for (let step = 0; step < STEPS; step++) {
    const shares = scores.map((score, index) => ((ties[index] ?? 0) > 1e-9 ? score / (ties[index] ?? 1) : 0));
    const received = byWords(vectors, size, shares);
    scores = scores.map(
      (_, index) =>
        (1 - DAMPING) / vectors.length +
        DAMPING * ((received[index] ?? 0) - (shares[index] ?? 0) * selfOf(vectors[index])),
    );
  }
  return scores;
}

/** The product of V·Vᵀ and the vector `shares`. */
function byWords(vectors: readonly Vector[], size: number, shares: readonly number[]): number[] {
  const totals = new Float64Array(size);
  vectors.forEach(({ words, weights }, index) => {
    words.forEach((word, at) => {
      totals[word] = (totals[word] ?? 0) + (weights[at] ?? 0) * (shares[index] ?? 0);
    });
  });
  return vectors.map(({ words, weights }) =>
    words.reduce((sum, word, at) => sum + (totals[word] ?? 0) * (weights[at] ?? 0), 0),
  );
}

function selfOf(vector: Vector | undefined): number {
  return vector && vector.words.length > 0 ? 1 : 0;
}

function toVectors(sentences: readonly (readonly string[])[]): { vectors: Vector[]; size: number } {
  const distinct = sentences.map((words) => [...new Set(words)]);
  const numbers = new Map<string, number>();
  const uses: number[] = [];
  for (const word of distinct.flat()) {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    uses[number] = (uses[number] ?? 0) + 1;
  }
  const vectors = distinct.map((words) => {
    const ids = words.map((word) => numbers.get(word) ?? 0);
    const rarities = ids.map((id) => Math.log(1 + sentences.length / (uses[id] ?? 1)));
    const length = Math.hypot(...rarities) || 1;
    return { words: ids, weights: rarities.map((rarity) => rarity / length) };
  });
  return { vectors, size: numbers.size };
}
