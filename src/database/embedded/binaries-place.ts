/** Location from which an account can run the PostgreSQL programs: node_modules, or else a copy in a folder for temporary files. */
import type { Stats } from 'node:fs';
import { chmod, cp, lstat, readdir, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { type Binaries, findProblem, hydrateLinks, installedBinaries, unquotable, WAY_OUT } from './binaries.js';
import { removeFolder, removeLeftovers, temporaryName } from './leftovers.js';
import type { OsUser } from './os-user.js';
import { SetupError } from './setup-error.js';

/**
 * @param account the account that runs the programs; if undefined, the user of this process.
 * @returns the programs in node_modules, or a copy of them if they cannot run from there.
 * @throws {SetupError} if npm installed none for this platform, they do not run on this system, or no folder for a copy is usable.
 */
export async function usableBinaries(account: OsUser | undefined): Promise<Binaries> {
  const installed = await installedBinaries();
  const misplaced = unquotable(installed.folder) ?? (await hydrateLinks(installed.folder));
  const problem = misplaced ?? (await findProblem(installed, account));
  if (!problem) return installed;
  if (!problem.isPlace) throw new SetupError(`${problem.message}. ${WAY_OUT}`);
  return copyBinaries(installed, account, problem.message);
}

/** TMPDIR may be private, as with pam_tmpdir; the Filesystem Hierarchy Standard makes the other two accessible to all users. */
const PLACES = [tmpdir(), '/tmp', '/var/tmp'];

/**
 * Copies once: later starts by the same user reuse the copy.
 *
 * @param problem why the installed programs cannot be used, for the error message.
 * @param places folders to try, in order.
 * @throws {SetupError} if the account cannot run them from any of the folders; the message gives the reason for each.
 */
export async function copyBinaries(
  installed: Binaries,
  account: OsUser | undefined,
  problem: string,
  places: readonly string[] = PLACES,
): Promise<Binaries> {
  const problems = [problem];
  for (const place of new Set(places)) {
    const copy = { ...installed, folder: join(place, `daybook-postgres-${installed.version}-${process.getuid?.()}`) };
    try {
      await makeCopy(installed.folder, copy.folder);
      const obstacle = await findProblem(copy, account);
      if (!obstacle) return copy;
      problems.push(obstacle.message);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new SetupError(
    `PostgreSQL cannot be run from any folder. ${problems.map((each) => `${each}.`).join(' ')} ` +
      'Install in a folder that all users can access, start as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  );
}

async function makeCopy(source: string, copy: string): Promise<void> {
  const place = dirname(copy);
  const unfit = unquotable(copy);
  if (unfit) throw new Error(unfit.message);
  requireSafe(place, await stat(place), [0, process.getuid?.()], 0o1000);
  if (await isCopied(source, copy)) return;
  const base = `${basename(copy)}.new`;
  await removeLeftovers(place, base);
  const temporary = join(place, temporaryName(base));
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
  await hydrateLinks(folder);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await openToAll(join(entry.parentPath, entry.name));
  }
  await chmod(folder, 0o755);
}

/** Makes a file readable for all users: npm creates files with the umask of the installing user. */
async function openToAll(path: string): Promise<void> {
  const stats = await lstat(path);
  const isProgram = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  // On Linux, tmpfiles.d(5) removes old files from /tmp unless their sticky bit is set. Other systems may reject that bit on files.
  const sticky = stats.isFile() && process.platform === 'linux' ? 0o1000 : 0;
  await chmod(path, (isProgram ? 0o755 : 0o644) | sticky);
}
