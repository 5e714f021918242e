/** Runs `daybook export`: connects to the database, writes the export and reports the counts on standard error. */
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { FIND_MEMBER, type FoundMember, memberArchive } from '../../export/member-archive.js';
import { inSnapshot, type Snapshot } from '../../export/snapshot.js';
import { connectToExisting } from '../../models/connect-database.js';
import { type Config, loadConfig } from '../../platform/config/index.js';
import type { Database } from '../../platform/database/pool.js';
import { OperatorError } from '../../platform/errors.js';
import { type ImageStore, openImageStore } from '../../services/images/store.js';
import { DONE } from '../subcommand.js';
import { ProgressLine, quantity, type Terminal } from '../terminal.js';
import { type JournalCounts, journalLines } from './journal.js';
import { type MarkdownCounts, modesOf, writeMarkdown } from './markdown.js';
import { toOperatorError, unfinishedName, writeFileFrom, writeStreamFrom } from './output.js';

export interface ExportOptions {
  output?: string;
  /** Id or email. */
  member?: string;
  /** The folder for Markdown files. */
  markdown?: string;
  /** With private articles and drafts. */
  all?: boolean;
}

export async function runExport(options: ExportOptions, terminal: Terminal): Promise<number> {
  const { output, member, markdown } = options;
  const { env, stdout, stderr } = terminal;
  if (member !== undefined && output === undefined && stdout.isTTY) {
    throw new OperatorError('A ZIP cannot be written to a terminal: set an output file with --output');
  }
  const config = loadConfig(env);
  const signal = terminal.listenForStop();
  const { database, close } = await connectToExisting(config, (line) => stderr.write(`${line}\n`));
  try {
    const write = (content: Readable, mode: number) =>
      output === undefined
        ? writeStreamFrom(content, stdout, signal)
        : writeFileFrom(content, output, { mode, signal });
    const images = await openImageStore(config.imageStore);
    const where = output === undefined ? '' : ` to ${output}`;
    const run = { config, database, images, terminal, write, where };
    if (markdown !== undefined) return await writeJournalAsMarkdown(run, markdown, options.all === true, signal);
    return await (member === undefined ? writeJournal(run) : writeMember(run, member));
  } finally {
    await close();
  }
}

interface Run {
  config: Config;
  database: Database;
  images: ImageStore;
  terminal: Terminal;
  write(content: Readable, mode: number): Promise<void>;
  /** Suffix of the final message, ` to <file>`; empty for standard output, where no final message is printed. */
  where: string;
}

/** File modes before the umask: for public data, and for personal data (owner only). */
const PUBLIC_FILE_MODE = 0o666;
const PRIVATE_FILE_MODE = 0o600;

async function writeJournal({ config, database, images, terminal, write, where }: Run): Promise<number> {
  const counts: JournalCounts = { members: 0, articles: 0, series: 0, comments: 0 };
  const progress = new ProgressLine(terminal.stderr);
  const lines = async function* (snapshot: Snapshot) {
    for await (const text of journalLines(snapshot, { publicUrl: config.publicUrl, images }, counts)) {
      progress.show(() => `Exporting: ${describe(counts)}`);
      yield text;
    }
  };
  await inSnapshot(database, (snapshot) => write(Readable.from(lines(snapshot)), PUBLIC_FILE_MODE)).finally(() =>
    progress.end(),
  );
  if (where) terminal.stderr.write(`Exported ${describe(counts)}${where}.\n`);
  return DONE;
}

async function writeJournalAsMarkdown(
  { config, database, images, terminal: { stderr } }: Run,
  path: string,
  withPrivate: boolean,
  signal: AbortSignal,
): Promise<number> {
  const counts: MarkdownCounts = { members: 0, texts: 0, comments: 0 };
  const progress = new ProgressLine(stderr);
  const described = () =>
    `${quantity(counts.members, 'member')}, ${quantity(counts.texts, 'text')} and ${quantity(counts.comments, 'comment')}`;
  const run = {
    images,
    publicUrl: config.publicUrl,
    withPrivate,
    signal,
    counts,
    onProgress: () => progress.show(() => `Exporting: ${described()}`),
    onMissingImage: (address: string, file: string) =>
      stderr.write(`An image is missing in the image storage: ${address} (${file}).\n`),
  };
  const leftOut = await writeFolder(path, modesOf(run).folder, (folder) =>
    inSnapshot(database, (snapshot) => writeMarkdown(folder, { ...run, snapshot })),
  ).finally(() => progress.end());
  stderr.write(`Exported ${described()} to ${path}.\n`);
  if (leftOut) stderr.write(`${leftOut}\n`);
  return DONE;
}

function describe({ members, articles, comments }: JournalCounts): string {
  return `${quantity(members, 'member')}, ${quantity(articles, 'article')} and ${quantity(comments, 'comment')}`;
}

/** Images missing in the store are reported on standard error; the rest is exported. */
async function writeMember({ database, images, terminal, write, where }: Run, idOrEmail: string): Promise<number> {
  return inSnapshot(database, async (snapshot) => {
    const member = await findMember(snapshot, idOrEmail);
    const { zip, missing } = await memberArchive(snapshot, images, member, new Date());
    await write(zip, PRIVATE_FILE_MODE);
    if (where) terminal.stderr.write(`Exported the data of ${member.nickname} (member ${member.id})${where}.\n`);
    for (const name of missing)
      terminal.stderr.write(`An image is missing in the image storage and in the archive: ${name}.\n`);
    return DONE;
  });
}

async function findMember({ read }: Snapshot, idOrEmail: string): Promise<FoundMember> {
  const isId = /^\d{1,18}$/.test(idOrEmail);
  const [member] = await read(FIND_MEMBER, [isId ? idOrEmail : null, isId ? null : idOrEmail]);
  if (member) return member;
  throw new OperatorError(`No member has the ${isId ? 'ID' : 'email'} ${idOrEmail}`);
}

/** Calls `write` with a temporary folder beside the target, and renames it. An existing target must be an empty folder. @throws OperatorError */
async function writeFolder<Result>(
  path: string,
  mode: number,
  write: (folder: string) => Promise<Result>,
): Promise<Result> {
  const target = await requireNewOrEmpty(path);
  const unfinished = unfinishedName(target);
  try {
    await mkdir(unfinished, { mode });
    const result = await write(unfinished);
    await rename(unfinished, target);
    return result;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw toOperatorError(error, path);
  }
}

/** Resolves symbolic links, and removes slashes at the end. */
async function requireNewOrEmpty(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return path.replace(/(?<=.)\/+$/, '');
  if (!stats.isDirectory()) throw new OperatorError(`Expected a folder, but ${path} is a file`);
  if ((await readdir(path)).length > 0)
    throw new OperatorError(`${path} is not empty: choose a new or an empty folder`);
  return realpath(path);
}
