/** Report of an article benchmark: text tables or JSON. */
import { median, middle } from './aims.js';
import { type ArticleCase, NAMES, type Name } from './articles-cases.js';
import type { Load, Sample } from './measure.js';
import { inColumns, type Machine } from './report.js';

export interface MeasuredCase {
  case: ArticleCase;
  /** One entry per round. */
  samples: Record<Name, Sample[]>;
}

/** Medians over the rounds. */
interface Row extends Sample {
  name: Name;
  /** Ratio of requests per second to those of the floor. */
  ofFloor: number;
  rounds: Sample[];
}

export interface ArticlesReport {
  date: string;
  machine: Machine;
  load: Load;
  articles: number;
  cases: { key: ArticleCase['key']; title: string; contenders: Row[] }[];
  /** Ratio of the p50 of the deep page to that of the first page. */
  deepToFirst: Record<Name, number>;
}

export function makeReport(
  machine: Machine,
  load: Load,
  articles: number,
  measured: readonly MeasuredCase[],
): ArticlesReport {
  const cases = measured.map(({ case: { key, title }, samples }) => ({
    key,
    title,
    contenders: NAMES.map((name) => ({
      name,
      ...middle(samples[name]),
      ofFloor: ratio(samples[name], samples.floor, 'requestsPerSecond'),
      rounds: samples[name],
    })),
  }));
  const samplesOf = (key: ArticleCase['key'], name: Name) =>
    measured.find((one) => one.case.key === key)?.samples[name] ?? [];
  const slower = (name: Name) => ratio(samplesOf('deep', name), samplesOf('first', name), 'p50');
  const deepToFirst = { floor: slower('floor'), rest: slower('rest'), graphql: slower('graphql') };
  return { date: new Date().toISOString(), machine, load, articles, cases, deepToFirst };
}

/** Ratios per round: a disturbance in a round affects both contenders. */
function ratio(one: readonly Sample[], other: readonly Sample[], key: keyof Sample): number {
  return median(one.map((sample, round) => sample[key] / (other[round]?.[key] ?? Number.NaN)));
}

const LABELS: Record<Name, string> = {
  floor: 'floor: node:http and pg',
  rest: 'Daybook, REST',
  graphql: 'Daybook, /graphql',
};

export function toText({ date, machine, load, articles, cases, deepToFirst }: ArticlesReport): string {
  const lines = [
    `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}.`,
    `${articles.toLocaleString('en')} articles, ${load.connections} connections, medians of ${load.rounds} rounds of ` +
      `${load.seconds} s; load average before ${machine.loadBefore.toFixed(1)}.`,
  ];
  for (const { title, contenders } of cases) {
    lines.push('', title, inColumns(['', 'requests/s', 'p50 ms', 'p99 ms', '× floor']), ...contenders.map(toLine));
  }
  lines.push('', 'p50 of the deep page to that of page 1');
  lines.push(...NAMES.map((name) => inColumns([`  ${LABELS[name]}`, deepToFirst[name].toFixed(2)])));
  return `${lines.join('\n')}\n`;
}

function toLine({ name, requestsPerSecond, p50, p99, ofFloor }: Row): string {
  const rate = Math.round(requestsPerSecond).toLocaleString('en');
  return inColumns([`  ${LABELS[name]}`, rate, p50.toFixed(2), p99.toFixed(2), ofFloor.toFixed(2)]);
}
