/** The process of a benchmark: options, log, embedded PostgreSQL, report, and the end of everything that it started. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSecrets } from '../src/platform/config/secrets.js';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.js';
import { withClient } from './database.js';
import { type NumberOption, readOptions, usageOf } from './options.js';

/** Registers a function that stops a started process. */
export type AtEnd = (stop: () => Promise<void>) => void;

/** Folder of logs and data, relative to the compiled code and not to the working directory. */
export const FOLDER = fileURLToPath(new URL('../../.bench', import.meta.url));

export interface Benchmark<Name extends string, Text extends string, Report> {
  /** Options with whole numbers. */
  numbers: Readonly<Record<Name, NumberOption>>;
  /** Other options with their default values. */
  texts?: Readonly<Record<Text, string>>;
  run(options: NoInfer<Record<Name, number> & Record<Text, string>>, atEnd: AtEnd): Promise<Report>;
  toText(report: Report): string;
  toMarkdown?(report: Report): string;
}

export function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs a benchmark, prints its report as text or JSON, and ends the process. */
export async function runBenchmark<Name extends string, Report, Text extends string = never>(
  benchmark: Benchmark<Name, Text, Report>,
): Promise<never> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const { values, isJson, isMarkdown, isHelp } = readOptions(benchmark.numbers, benchmark.texts);
    if (isHelp) process.stdout.write(usageOf(benchmark.numbers, benchmark.texts));
    else {
      await mkdir(FOLDER, { recursive: true });
      const report = await Promise.race([benchmark.run(values, (stop) => void stops.push(stop)), interrupted()]);
      const toText = (isMarkdown && benchmark.toMarkdown) || benchmark.toText;
      process.stdout.write(isJson ? `${JSON.stringify(report, withMaps, 2)}\n` : toText(report));
    }
  } catch (error) {
    log(`The benchmark failed. ${(error as Error).message}`);
    process.exitCode = 1;
  }
  // In reverse order of start, including processes that an interrupted run starts meanwhile.
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    await stop().catch((error: Error) => log(`A process did not stop: ${error.message}`));
  }
  // Exits explicitly, because pending work of an interrupted run would keep the process alive.
  process.exit();
}

function withMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/** @param library that the server loads at its start, in a folder of its own: it costs time @returns its superuser URL */
export async function startPostgres(atEnd: AtEnd, library?: string): Promise<string> {
  const { databasePassword: password } = await loadSecrets(FOLDER);
  const options = { dataDir: library === undefined ? FOLDER : join(FOLDER, library), password };
  let postgres = await startEmbeddedPostgres(options);
  if (library !== undefined) {
    await withClient(postgres.url, (client) =>
      client.query(`alter system set shared_preload_libraries = '${library}'`),
    );
    await postgres.stop();
    postgres = await startEmbeddedPostgres(options);
  }
  atEnd(postgres.stop);
  return postgres.url;
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`It was stopped by ${signal}.`)));
    }
  });
}
