/** Report of a comment benchmark: text tables or JSON. */
import { cpus, loadavg } from 'node:os';
import pg from 'pg';
import { type Aim, judge, middle, share } from './aims.js';
import { NAMES, type Name } from './field.js';
import type { Load, Measured, Sample } from './measure.js';

export interface Machine {
  cpu: string;
  cores: number;
  node: string;
  postgres: string;
  /** Load average of the last minute before the run. */
  loadBefore: number;
}

export interface Report {
  date: string;
  machine: Machine;
  load: Load;
  cases: { title: string; comments: number; page: number; contenders: Row[] }[];
  aims: Aim[];
}

/** Medians over the rounds; ratios are of requests per second. */
interface Row extends Sample {
  name: Name;
  ofFloor: number;
  ofTextbook: number;
  rounds: Sample[];
}

export async function describeMachine(databaseUrl: string): Promise<Machine> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? 'unknown',
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** @param comments of the larger data set, to which the targets apply */
export function makeReport(machine: Machine, load: Load, measured: readonly Measured[], comments: number): Report {
  const cases = measured.map((one) => ({
    title: one.case.title,
    comments: one.case.comments,
    page: one.case.page,
    contenders: NAMES.map((name) => ({
      name,
      ...middle(one.samples[name]),
      ofFloor: share(one, name, 'floor'),
      ofTextbook: share(one, name, 'textbook'),
      rounds: one.samples[name],
    })),
  }));
  return { date: new Date().toISOString(), machine, load, cases, aims: judge(measured, comments) };
}

const LABELS: Record<Name, string> = {
  floor: 'floor: node:http and pg',
  textbook: 'textbook: Apollo and Sequelize',
  rest: 'Daybook, REST',
  graphql: 'Daybook, /graphql',
};

const WIDTHS = [32, 12, 9, 9, 10, 12];

export function toText({ date, machine, load, cases, aims }: Report): string {
  const lines = [
    `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}.`,
    `${load.connections} connections, medians of ${load.rounds} rounds of ${load.seconds} s; ` +
      `load average before ${machine.loadBefore.toFixed(1)}.`,
  ];
  for (const { title, contenders } of cases) {
    lines.push('', title, inColumns(['', 'requests/s', 'p50 ms', 'p99 ms', '× floor', '× textbook']));
    lines.push(...contenders.map(toLine));
  }
  lines.push(
    '',
    'Aims',
    ...aims.map((aim) => `  ${aim.isMet ? 'met  ' : 'short'}  ${aim.measured.toFixed(2)}  ${aim.aim}`),
  );
  return `${lines.join('\n')}\n`;
}

function toLine({ name, requestsPerSecond, p50, p99, ofFloor, ofTextbook }: Row): string {
  const rate = Math.round(requestsPerSecond).toLocaleString('en');
  return inColumns([
    `  ${LABELS[name]}`,
    rate,
    p50.toFixed(2),
    p99.toFixed(2),
    ofFloor.toFixed(2),
    ofTextbook.toFixed(2),
  ]);
}

export function inColumns(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[i] ?? 0) : cell.padStart(WIDTHS[i] ?? 0))).join('');
}
