/** Reports of the benchmarks that compare contenders: text tables or JSON. */
import { cpus, loadavg } from 'node:os';
import { middle, ratio } from './aims.js';
import { withClient } from './database.js';
import type { Load, Measured, Sample } from './measure.js';
import type { Case, Name } from './requests.js';

export interface Machine {
  cpu: string;
  cores: number;
  node: string;
  postgres: string;
  /** Load average of the last minute before the run. */
  loadBefore: number;
}

export interface Report<One extends Case = Case> {
  date: string;
  machine: Machine;
  load: Load;
  cases: (Omit<One, 'requests'> & { contenders: Row[] })[];
}

/** Medians over the rounds; ratios are of requests per second. */
interface Row extends Sample {
  name: Name;
  ofFloor: number;
  ofTextbook?: number;
  rounds: Sample[];
}

export async function describeMachine(databaseUrl: string): Promise<Machine> {
  const { rows } = await withClient(databaseUrl, (client) => client.query('show server_version'));
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? 'unknown',
    loadBefore: loadavg()[0] ?? 0,
  };
}

export function makeReport<One extends Case, Names extends Name>(
  machine: Machine,
  load: Load,
  measured: readonly Measured<One, Names>[],
): Report<One> {
  const cases = measured.map(({ case: { requests, ...described }, samples }) => ({
    ...described,
    contenders: rowsOf(samples),
  }));
  return { date: new Date().toISOString(), machine, load, cases };
}

function rowsOf(samples: Partial<Record<Name, Sample[]>>): Row[] {
  const { floor = [], textbook } = samples;
  return Object.entries(samples).map(([name, rounds]) => ({
    name: name as Name,
    ...middle(rounds),
    ofFloor: ratio(rounds, floor, 'requestsPerSecond'),
    ...(textbook && { ofTextbook: ratio(rounds, textbook, 'requestsPerSecond') }),
    rounds,
  }));
}

export const LABELS: Record<Name, string> = {
  floor: 'floor: node:http and pg',
  textbook: 'textbook: Apollo and Sequelize',
  rest: 'Daybook, REST',
  graphql: 'Daybook, /graphql',
};

const WIDTHS = [32, 12, 9, 9, 10, 12];

/** @param data describes the data set */
export function linesOf({ date, machine, load, cases }: Report, data: string): string[] {
  const lines = [
    `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}.`,
    `${data}, ${load.connections} connections, medians of ${load.rounds} rounds of ${load.seconds} s; ` +
      `load average before ${machine.loadBefore.toFixed(1)}.`,
  ];
  for (const { title, contenders } of cases) {
    const others = contenders.some(({ ofTextbook }) => ofTextbook !== undefined) ? ['× textbook'] : [];
    lines.push('', title, inColumns(['', 'requests/s', 'p50 ms', 'p99 ms', '× floor', ...others]));
    lines.push(...contenders.map(toLine));
  }
  return lines;
}

function toLine({ name, requestsPerSecond, p50, p99, ofFloor, ofTextbook }: Row): string {
  const rate = Math.round(requestsPerSecond).toLocaleString('en');
  const ratios = [p50, p99, ofFloor, ofTextbook].filter((value) => value !== undefined);
  return inColumns([`  ${LABELS[name]}`, rate, ...ratios.map((value) => value.toFixed(2))]);
}

export function inColumns(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[i] ?? 0) : cell.padStart(WIDTHS[i] ?? 0))).join('');
}
