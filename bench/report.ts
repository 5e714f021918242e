/** Report of a benchmark: text, JSON, or the tables of the documentation. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { withClient } from './database.js';
import { LABELS, type Load, type Measured, type Name, type Sample } from './measure.js';
import { judge, middle, ratioOf, type Target } from './targets.js';

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
  cases: { key: string; title: string; rows: number; contenders: Row[] }[];
  targets: Target[];
}

/** Medians over the rounds; ratios are of requests per second. */
interface Row extends Sample {
  name: Name;
  ofFloor: number;
  ofCeiling: number;
  rounds: Sample[];
}

/** @param node path of the binary of the measured servers */
export async function describeMachine(databaseUrl: string, node = process.execPath): Promise<Machine> {
  const { rows } = await withClient(databaseUrl, (client) => client.query('show server_version'));
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1),
    postgres: rows[0]?.server_version ?? 'unknown',
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** @param rows size of the larger data set, to which the targets apply */
export function makeReport(machine: Machine, load: Load, measured: readonly Measured[], rows: number): Report {
  const cases = measured.map((one) => ({
    key: one.key,
    title: one.title,
    rows: one.rows,
    contenders: [...one.samples].map(([name, rounds]) => ({
      name,
      ...middle(rounds),
      ofFloor: ratioOf(one, name, one, 'floor'),
      ofCeiling: ratioOf(one, name, one, 'ceiling'),
      rounds,
    })),
  }));
  return { date: new Date().toISOString(), machine, load, cases, targets: judge(measured, rows) };
}

const HEADINGS = ['requests/s', 'p50 ms', 'p99 ms', '× floor', '× ceiling', 'cache hits'];

export function toText(report: Report): string {
  const lines = [describe(report)];
  const inColumns = ([first = '', ...cells]: readonly string[]) =>
    `${first.padEnd(32)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  for (const { title, contenders } of report.cases) {
    lines.push('', inColumns([title, '']), inColumns(['', ...HEADINGS]));
    lines.push(...contenders.map((row) => inColumns([`  ${LABELS[row.name]}`, ...figures(row)])));
  }
  const targets = report.targets.map(
    ({ target, measured, isReached }) => `  ${isReached ? 'reached' : 'missed '}  ${measured.toFixed(2)}  ${target}`,
  );
  return `${[...lines, '', ...targets].join('\n')}\n`;
}

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(headings), row(headings.map(() => '---')), ...rows.map(row)].join('\n');
}

export function toMarkdown(report: Report): string {
  const cases = report.cases.flatMap(({ title, contenders }) =>
    contenders.map((one, i) => [i === 0 ? title : '', LABELS[one.name], ...figures(one)]),
  );
  const results = report.targets.map(({ target, measured, isReached }) => [
    target,
    measured.toFixed(2),
    isReached ? 'reached' : 'missed',
  ]);
  const targets = results.length === 0 ? '' : `\n${table(['Target', 'Measured', 'Result'], results)}\n`;
  return `${describe(report)}\n\n${table(['Case', '', ...HEADINGS], cases)}\n${targets}`;
}

function describe({ date, machine, load }: Report): string {
  return (
    `${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}, ` +
    `${load.connections} connections,\nmedians of ${load.rounds} rounds of ${load.seconds} s; ` +
    `load average before ${machine.loadBefore.toFixed(1)}.`
  );
}

function figures({ requestsPerSecond, p50, p99, ofFloor, ofCeiling, hits }: Row): string[] {
  const ratios = [ofFloor, ofCeiling].map((ratio) => (Number.isNaN(ratio) ? '' : ratio.toFixed(2)));
  const share = Number.isNaN(hits) ? '' : `${(hits * 100).toFixed(0)} %`;
  return [Math.round(requestsPerSecond).toLocaleString('en'), p50.toFixed(2), p99.toFixed(2), ...ratios, share];
}
