/**
 * A naive Bayes classifier over n-grams of letters. Texts are compared by their skeletons, with Hangul decomposed into letters (jamo), and without
 * everything between letters, so that spaces, invisible characters, full-width letters and letters that look alike change nothing.
 */
import { skeletonOf } from '../../platform/display-name/skeleton.js';

/** Counters of each class: n-grams are counted by their hashes. */
const BUCKETS = 65_536;
const N = 4;
/** The number of n-grams whose evidence counts in full: neighboring ones share letters, and are not independent. */
const EVIDENCE = 20;
/** The weight of an n-gram that is as frequent in both classes: one that was counted once proves little. */
const PRIOR = 1;
/** After so many texts, all counters are halved: they fit into 16 bits, and later decisions outweigh earlier ones. */
const MAX_TEXTS = 30_000;
/** The number of decisions from which on there is a score. */
const MIN_TEXTS = 50;

export interface SpamCounts {
  /** Number of texts of each class. */
  spam: number;
  other: number;
  /** The number of texts with an n-gram of each bucket: of spam, then of other texts. */
  readonly counts: Uint16Array;
}

export const emptyCounts = (): SpamCounts => ({ spam: 0, other: 0, counts: new Uint16Array(2 * BUCKETS) });

export function learn(model: SpamCounts, text: string, isSpam: boolean): void {
  if (model.spam + model.other >= MAX_TEXTS) {
    model.spam >>= 1;
    model.other >>= 1;
    for (let bucket = 0; bucket < 2 * BUCKETS; bucket++) model.counts[bucket] = (model.counts[bucket] ?? 0) >> 1;
  }
  if (isSpam) model.spam++;
  else model.other++;
  const offset = isSpam ? 0 : BUCKETS;
  for (const bucket of bucketsOf(text)) model.counts[offset + bucket] = (model.counts[offset + bucket] ?? 0) + 1;
}

/** The probability that a text is spam, from 0 to 1; null before there are enough decisions of both kinds. The classes count as equally frequent. */
export function spamScoreOf({ spam, other, counts }: SpamCounts, text: string): number | null {
  if (spam + other < MIN_TEXTS || spam === 0 || other === 0) return null;
  let evidence = 0;
  let known = 0;
  for (const bucket of bucketsOf(text)) {
    const [inSpam = 0, inOthers = 0] = [counts[bucket], counts[BUCKETS + bucket]];
    const texts = inSpam + inOthers;
    if (texts === 0) continue;
    const share = inSpam / spam / (inSpam / spam + inOthers / other);
    const probability = (PRIOR / 2 + texts * share) / (PRIOR + texts);
    evidence += Math.log(probability / (1 - probability));
    known++;
  }
  return 1 / (1 + Math.exp(-evidence * Math.min(1, EVIDENCE / Math.max(1, known))));
}

const SCHEMES = /[a-z][a-z\d+.-]*:\/\/|www\./giu;
const BETWEEN_LETTERS = /[^\p{L}\p{N}\p{M}]/gu;

/** The buckets of the n-grams of a text, each once: repetition proves nothing. */
function bucketsOf(text: string): Set<number> {
  const letters = `^${skeletonOf(text.normalize('NFKC').replace(SCHEMES, ' ')).replace(BETWEEN_LETTERS, '')}$`;
  const found = new Set<number>();
  for (let end = N; end <= letters.length; end++) {
    // FNV-1a, and the finalizer of a multiplicative hash, whose low bits depend on all letters.
    let hash = 2_166_136_261;
    for (let index = end - N; index < end; index++) hash = Math.imul(hash ^ letters.charCodeAt(index), 16_777_619);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    found.add((hash ^ (hash >>> 12)) & (BUCKETS - 1));
  }
  return found;
}

/** The counters as they are stored: 16 bits each, little endian. */
export function bytesOf({ counts }: SpamCounts): Buffer {
  const bytes = Buffer.alloc(counts.length * 2);
  for (const [index, count] of counts.entries()) bytes.writeUInt16LE(count, index * 2);
  return bytes;
}

export function countsOf({ spam, other, bytes }: { spam: number; other: number; bytes: Buffer }): SpamCounts {
  return {
    spam,
    other,
    counts: Uint16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2)),
  };
}
