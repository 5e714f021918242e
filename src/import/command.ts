/** The import as a command: arguments in, progress and report out, an exit code back. */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Database } from '../models/database.js';
import { loadExport } from './load.js';
import { type Output, ProgressLine } from './progress.js';
import { ImportError } from './records.js';
import { Report } from './report.js';

export const USAGE = `Usage: npm run import -- [--skip-protected] FILE.xml

Loads a WordPress export (Tools, Export, "All content"): authors and commenters as members without a login, published
posts as articles with their categories and tags, approved comments. It can be run again: what is there stays as it is.

  --skip-protected  leave out posts that a password protects; without it they become articles that everybody reads
  --help            show this text
`;

/** Exit codes. */
const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

interface Connection {
  database: Database;
  close(): Promise<void>;
}

export interface CommandOptions {
  /** Called once the file has proved to be an export. */
  connect: () => Promise<Connection>;
  stdout: Output;
  stderr: Output;
  signal?: AbortSignal;
}

/** @returns 0 where the whole file is in the journal, 1 where it is not, 2 for arguments that make no sense. */
export async function runImport(args: string[], options: CommandOptions): Promise<number> {
  const { stdout, stderr } = options;
  const asked = readArguments(args);
  if ('wrong' in asked) {
    stderr.write(`${asked.wrong}\n\n${USAGE}`);
    return MISUSED;
  }
  if (asked.help) {
    stdout.write(USAGE);
    return DONE;
  }
  return load(asked, options);
}

interface Asked {
  path: string;
  skipProtected: boolean;
  help: boolean;
}

function readArguments(args: string[]): Asked | { wrong: string } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'skip-protected': { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    const [path = ''] = positionals;
    if (positionals.length !== 1 && !values.help) return { wrong: `Expected one file, got ${positionals.length}.` };
    return { path, skipProtected: values['skip-protected'], help: values.help };
  } catch (error) {
    return { wrong: oneLine(error) };
  }
}

async function load({ path, skipProtected }: Asked, options: CommandOptions): Promise<number> {
  const { stdout, stderr, signal } = options;
  const report = new Report();
  const progress = new ProgressLine(stderr);
  let connection: Connection | undefined;
  const connect = async () => {
    connection = await options.connect();
    return connection.database;
  };
  let failure: unknown;
  try {
    await loadExport(connect, path, report, { skipProtected, signal, onProgress: (now) => progress.show(now) });
  } catch (error) {
    failure = error;
  }
  await connection?.close();
  progress.end();
  if (failure === undefined || hasBegun(report)) stdout.write(`${report}`);
  if (failure !== undefined) stderr.write(`${explain(failure, path, report)}\n`);
  return failure === undefined && report.refused === 0 ? DONE : FAILED;
}

function hasBegun(report: Report): boolean {
  return report.met.members.size > 0;
}

function explain(failure: unknown, path: string, report: Report): string {
  const file =
    failure instanceof ImportError
      ? `"${basename(path)}" was not imported${hasBegun(report) ? ' to its end' : ''}`
      : 'The import failed';
  const rest = hasBegun(report) ? ` What is reported above stays; running it again goes on from there.` : '';
  return `${file}: ${oneLine(failure)}.${rest}`;
}

function oneLine(error: unknown): string {
  const { message, name } = error as Error;
  return (message || name || String(error)).replace(/\s*\n\s*/g, ' ').replace(/\.$/, '');
}
