/** Performance targets of the service, compared with the measurements. */
import type { CaseKey, CommentCase } from './cases.js';
import type { Measured, Sample } from './measure.js';
import type { Name } from './requests.js';

export interface Aim {
  aim: string;
  /** Measured value: a ratio. */
  measured: number;
  isMet: boolean;
}

/** Targets for data that was not measured are omitted. */
export function judge(measured: readonly Measured<CommentCase>[], comments: number): Aim[] {
  const find = (key: CaseKey, size: number) =>
    measured.find(({ case: one }) => one.key === key && one.comments === size);
  const aims: (Aim | undefined)[] = [];
  for (const [key, where] of [
    ['hot', 'page 1 of the hot article'],
    ['random', 'page 1 of random articles'],
  ] as const) {
    const here = find(key, comments);
    const small = measured.find(({ case: one }) => one.key === key && one.comments < comments);
    aims.push(
      here && atLeast(0.6, `REST to the floor, ${where}`, share(here, 'rest', 'floor')),
      here && atLeast(6, `REST to the textbook, ${where}`, share(here, 'rest', 'textbook')),
      here && atLeast(0.35, `/graphql to the floor, ${where}`, share(here, 'graphql', 'floor')),
      here && small && atMost(1.2, `p50 of REST to that of ${of(small.case)}, ${where}`, slower(here, small)),
    );
  }
  const [deep, hot] = [find('deep', comments), find('hot', comments)];
  aims.push(
    deep && hot && atMost(3, `p50 of REST, page ${deep.case.page} to page 1 of the hot article`, slower(deep, hot)),
  );
  return aims.filter((aim) => aim !== undefined);
}

/** The median of the ratios per round: a disturbance in a round affects both contenders. */
export function ratio(one: readonly Sample[], other: readonly Sample[], key: keyof Sample): number {
  return median(one.map((sample, round) => sample[key] / (other[round]?.[key] ?? Number.NaN)));
}

function share({ samples }: Measured, one: Name, other: Name): number {
  return ratio(samples[one], samples[other], 'requestsPerSecond');
}

export function middle(samples: readonly Sample[]): Sample {
  const of = (key: keyof Sample) => median(samples.map((sample) => sample[key]));
  return { requestsPerSecond: of('requestsPerSecond'), p50: of('p50'), p99: of('p99') };
}

function slower(one: Measured, other: Measured): number {
  return ratio(one.samples.rest, other.samples.rest, 'p50');
}

function atLeast(bound: number, what: string, measured: number): Aim {
  return { aim: `${what}: at least ${bound}`, measured, isMet: measured >= bound };
}

function atMost(bound: number, what: string, measured: number): Aim {
  return { aim: `${what}: at most ${bound}`, measured, isMet: measured <= bound };
}

function of({ comments }: CommentCase): string {
  return `${comments.toLocaleString('en')} comments`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}
