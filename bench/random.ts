/** Seeded random numbers, which Math.random does not provide. */

/** The mulberry32 generator: small, fast and platform-independent. @returns numbers from 0 up to 1 */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Large enough that a connection rarely repeats its first request. */
const RANDOM_IDS = 1000;

/** Ids from `first` to `last` with uniform probability. */
export function randomIds(first: number, last: number, seed: number): number[] {
  const random = randomFrom(seed);
  return Array.from({ length: RANDOM_IDS }, () => first + Math.floor(random() * (last - first + 1)));
}
