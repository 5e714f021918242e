/** Runs `daybook import`: progress on standard error, the report on standard output, and an exit code. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EntryError } from '../../import/input/entries.js';
import { type LoadOptions, loadExport, type Progress } from '../../import/load.js';
import { Report } from '../../import/report.js';
import { writeReportFile } from '../../import/report-file.js';
import type { Database } from '../../platform/database/pool.js';
import { FileError, oneLine, StoppedError } from '../../platform/errors.js';
import { DONE, FAILED } from '../subcommand.js';
import { type Output, ProgressLine, quantity } from '../terminal.js';

interface Connection {
  database: Database;
  close(): Promise<void>;
}

export interface ImportOptions extends Omit<LoadOptions, 'onProgress'> {
  /** File for the report as JSON, which is replaced. */
  reportPath?: string | undefined;
  /** Exit code 1 if anything was skipped or reduced. */
  isStrict?: boolean;
  /** Called once the source is recognized. */
  connect: () => Promise<Connection>;
  stdout: Output;
  stderr: Output;
}

/** @returns DONE (0) if the whole source was imported, else FAILED (1) */
export async function runImport(path: string, options: ImportOptions): Promise<number> {
  const { stdout, stderr, reportPath, isStrict = false } = options;
  const report = new Report();
  const progress = new ProgressLine(stderr);
  let connection: Connection | undefined;
  const connect = async () => {
    connection = await options.connect();
    return connection.database;
  };
  const loadOptions = {
    ...options,
    onProgress: (now: Progress) => progress.show(() => describeProgress(now)),
  };
  let failure: unknown;
  let file: FileHandle | undefined;
  try {
    // Before the import: a file that cannot be written is found while nothing is done yet.
    if (reportPath !== undefined) file = await openReportFile(reportPath, path);
    await loadExport(connect, path, report, loadOptions);
  } catch (error) {
    failure = error;
  }
  try {
    if (file && connection) await writeReportFile(file, report, connection.database);
  } catch (error) {
    failure ??= error;
  }
  await file?.close();
  await connection?.close();
  progress.end();
  if (failure === undefined || hasBegun(report)) stdout.write(`${report}`);
  if (failure !== undefined) stderr.write(`${failureText(failure, path, report)}\n`);
  const isComplete = failure === undefined && report.rejected === 0 && !(isStrict && report.isReduced);
  return isComplete ? DONE : FAILED;
}

/** @throws FileError */
async function openReportFile(path: string, source: string): Promise<FileHandle> {
  const [report, given] = await Promise.all([path, source].map((each) => stat(each).catch(() => null)));
  if (report && report.ino === given?.ino && report.dev === given.dev)
    throw new FileError('--report names the same file');
  try {
    return await open(path, 'w');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FileError(`the report cannot be written to "${path}" (${code})`, { cause: error });
  }
}

function hasBegun(report: Report): boolean {
  return report.referenced.members.size > 0;
}

function failureText(failure: unknown, path: string, report: Report): string {
  const file =
    failure instanceof FileError || failure instanceof EntryError
      ? `"${basename(path)}" was not imported${hasBegun(report) ? ' to its end' : ''}`
      : 'The import failed';
  const isPart = hasBegun(report) && !report.isDryRun;
  const rest = isPart ? ` The records reported above were imported; ${nextStep(failure)}.` : '';
  return `${file}: ${oneLine(failure)}.${rest}`;
}

/** An error in the source is there again in the next run. */
function nextStep(failure: unknown): string {
  const isOfSource =
    (failure instanceof FileError || failure instanceof EntryError) && !(failure instanceof StoppedError);
  return isOfSource ? 'the command adds the others after the source is corrected' : 'run the command again to continue';
}

export function describeProgress({ read, size, report }: Progress): string {
  const { articles, articlesDone, added, failed } = report.pictures;
  if (articles > 0) {
    const done = `${articlesDone.toLocaleString('en')} of ${quantity(articles, 'article')}`;
    return `Importing pictures: ${done}, ${added.toLocaleString('en')} stored, ${failed.toLocaleString('en')} failed`;
  }
  const share = size > 0 ? `${Math.floor((read / size) * 100)} %` : `${Math.floor(read / 1e6)} MB`;
  const count = (kind: 'articles' | 'comments') => report.added[kind] + report.existingCount(kind);
  return `Importing: ${share} read, ${quantity(count('articles'), 'article')}, ${quantity(count('comments'), 'comment')}`;
}
