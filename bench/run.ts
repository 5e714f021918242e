/** Command of a benchmark: starts PostgreSQL, prints the report, and stops everything that was started. */
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded.js';
import { loadSecrets } from '../src/database/embedded/secrets.js';
import type { Launch } from './contender.js';
import type { Measured } from './measure.js';
import { type Options, type RowsOption, readOptions, usage } from './options.js';
import { installPeers, PEER_NODE } from './peers.js';
import { describeMachine, makeReport, toMarkdown, toText } from './report.js';

/** Folder of logs and data, relative to the compiled code and not to the working directory. */
export const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../.bench');

export interface Bench extends Omit<Options, 'node'>, Launch {
  /** Superuser URL of a server used only by benchmarks. */
  serverUrl: string;
  jwtSecret: string;
  /** Reports progress. */
  tell(line: string): void;
}

const stops: (() => Promise<void>)[] = [];
const atEnd: Launch['atEnd'] = (stop) => void stops.push(stop);
const tell = (line: string) => process.stderr.write(`${line}\n`);

/** @param work measures. @returns never: exits explicitly, because pending work of an interrupted run would keep the process alive */
export async function runBench(rows: RowsOption, work: (bench: Bench) => Promise<Measured[]>): Promise<never> {
  try {
    const options = readOptions(rows);
    const text = options === 'help' ? usage(rows) : await Promise.race([print(options, work), interrupted()]);
    process.stdout.write(text);
  } catch (error) {
    tell(`The benchmark failed. ${(error as Error).message}`);
    process.exitCode = 1;
  }
  await stopAll();
  process.exit();
}

async function print(options: Options, work: (bench: Bench) => Promise<Measured[]>): Promise<string> {
  if (options.hasPeers) installPeers(tell);
  const node = options.node ?? (options.hasPeers ? PEER_NODE : process.execPath);
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const { serverUrl, jwtSecret } = await startPostgres(atEnd);
  const machine = await describeMachine(serverUrl, version);
  const measured = await work({ ...options, folder: FOLDER, serverUrl, jwtSecret, node, atEnd, tell });
  const report = makeReport(machine, options.load, measured, options.rows);
  if (options.format === 'json') return `${JSON.stringify(report, undefined, 2)}\n`;
  return options.format === 'markdown' ? toMarkdown(report) : toText(report);
}

export async function startPostgres(atEnd: Launch['atEnd']): Promise<{ serverUrl: string; jwtSecret: string }> {
  await mkdir(FOLDER, { recursive: true });
  const { databasePassword, jwtSecret } = await loadSecrets(FOLDER);
  const postgres = await startEmbeddedPostgres({ dataDir: FOLDER, password: databasePassword });
  atEnd(postgres.stop);
  return { serverUrl: postgres.url, jwtSecret };
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`It was stopped by ${signal}.`)));
    }
  });
}

/** Stops in reverse order of start, including processes that an interrupted run starts meanwhile. */
async function stopAll(): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    await stop().catch((error: Error) => tell(`Something did not stop: ${error.message}`));
  }
}
