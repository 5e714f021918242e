/** Performance targets of the service, compared with the measurements. */
import type { Measured, Name, Sample } from './measure.js';

export interface Target {
  target: string;
  /** Measured value: a ratio. */
  measured: number;
  isReached: boolean;
}

/** Least ratios of requests per second. */
const MINIMUM_RATIOS: readonly { keys: readonly string[]; name: Name; other: Name; min: number }[] = [
  { keys: ['hot', 'random'], name: 'rest', other: 'floor', min: 2 },
  { keys: ['hot', 'random'], name: 'rest', other: 'ceiling', min: 0.25 },
  { keys: ['hot'], name: 'graphql', other: 'floor', min: 1.5 },
  { keys: ['random'], name: 'graphql', other: 'floor', min: 1.7 },
  { keys: ['larger'], name: 'rest', other: 'floor', min: 1.2 },
  { keys: ['larger'], name: 'graphql', other: 'floor', min: 1.2 },
  { keys: ['hot', 'random'], name: 'restUncached', other: 'floor', min: 0.62 },
  { keys: ['hot', 'random'], name: 'graphqlUncached', other: 'floor', min: 0.6 },
  { keys: ['hot', 'random'], name: 'graphqlUncached', other: 'postgraphile', min: 1.7 },
  { keys: ['mixed'], name: 'rest', other: 'floor', min: 1 },
];

/** Greatest ratio of the p50 of the large data set to that of the small one. */
const GROWTH = 1.2;

/** @param rows size of the large data set. Targets that were not measured are omitted. */
export function judge(measured: readonly Measured[], rows: number): Target[] {
  const large = measured.filter((one) => one.rows === rows);
  const ratios = large.flatMap((one) =>
    MINIMUM_RATIOS.filter(({ keys }) => keys.includes(one.key)).map(({ name, other, min }) => {
      const ratio = ratioOf(one, name, one, other);
      return { target: `${one.key}: ${name} / ${other} ≥ ${min}`, measured: ratio, isReached: ratio >= min };
    }),
  );
  const growth = large.flatMap((one) =>
    measured
      .filter((small) => small.key === one.key && small.rows < rows)
      .flatMap((small) =>
        (['rest', 'restUncached'] as const).map((name) => {
          const ratio = ratioOf(one, name, small, name, 'p50');
          const sizes = `p50 at ${rows.toLocaleString('en')} / ${small.rows.toLocaleString('en')} comments`;
          return { target: `${one.key}: ${name}, ${sizes} ≤ ${GROWTH}`, measured: ratio, isReached: ratio <= GROWTH };
        }),
      ),
  );
  return [...ratios, ...growth].filter((target) => !Number.isNaN(target.measured));
}

/** Median of the ratios of the rounds: a disturbance in a round affects both contenders. */
export function ratioOf(
  one: Measured,
  name: Name,
  other: Measured,
  otherName: Name,
  key: keyof Sample = 'requestsPerSecond',
): number {
  const others = other.samples.get(otherName) ?? [];
  return median(
    (one.samples.get(name) ?? []).map((sample, round) => sample[key] / (others[round]?.[key] ?? Number.NaN)),
  );
}

export function middle(samples: readonly Sample[]): Sample {
  const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]));
  return { requestsPerSecond: of('requestsPerSecond'), p50: of('p50'), p99: of('p99'), hits: of('hits') };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}
