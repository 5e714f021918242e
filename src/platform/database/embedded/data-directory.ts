/** The database folder (PostgreSQL cluster): created atomically by a rename, and owned by the account that runs the server. */
import { execFile } from 'node:child_process';
import { chmod, lchown, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataDirError, removeAbandonedFolders, removeFolder, temporaryName } from '../../config/data-dir.js';
import { currentUserName, diagnosePermission, type OsUser } from '../../config/file-permission.js';
import { OperatorError } from '../../errors.js';
import { type Binaries, program, USE_OTHER_SERVER } from './binaries.js';
import { processOptions } from './os-user.js';

/** The superuser of the embedded server; the database has the same name. */
export const USER = 'daybook';

export interface DataDirectoryOptions {
  /** An existing folder; the cluster is its subfolder `postgres`. */
  dataDir: string;
  /** Password of the superuser, for a new cluster. */
  password: string;
  binaries: Binaries;
  account: OsUser | undefined;
  onLog: (line: string) => void;
}

/**
 * @returns the folder of the cluster, created if it does not exist.
 * @throws {OperatorError} if it cannot be created, belongs to another user, or contains something else.
 */
export async function openDataDirectory(options: DataDirectoryOptions): Promise<string> {
  const folder = join(options.dataDir, 'postgres');
  await removeAbandonedFolders(options.dataDir, 'postgres.init');
  if (!(await isDataDirectory(folder))) {
    requireNamedUser();
    await createDataDirectory(folder, options).catch(async (error) => {
      throw error instanceof OperatorError ? error : await dataDirError(options.dataDir, error);
    });
    options.onLog(`created the database in ${folder}`);
  }
  await keepPrivate(folder, options.account);
  await requireReachable(folder, options.account);
  return folder;
}

/**
 * Working directory of the PostgreSQL programs, and the path under which they access that folder. On Linux the working directory
 * is entered before root switches to another user, so a parent folder may be inaccessible to that user, and the path
 * `/proc/self/cwd` contains no characters that are special to a shell.
 */
export function insideOf(folder: string): { cwd: string; dataArgument: string } {
  return { cwd: folder, dataArgument: process.platform === 'linux' ? '/proc/self/cwd' : folder };
}

/** The major version of PostgreSQL that created the cluster in a data folder; empty if there is no cluster. */
export async function clusterMajor(dataDir: string): Promise<string> {
  try {
    return (await readFile(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

async function isDataDirectory(folder: string): Promise<boolean> {
  const stats = await stat(folder).catch(() => undefined);
  if (!stats) return false;
  if (process.getuid && process.getuid() !== 0 && process.getuid() !== stats.uid) {
    const why = (await diagnosePermission(folder, 'write')) ?? `it is owned by uid ${stats.uid}`;
    throw new OperatorError(
      `${currentUserName()} cannot use the database in ${folder}: ${why}. Start as its owner or as root, ` +
        'set DATA_DIR to another folder, or change the owner with chown.',
    );
  }
  const names = await readdir(folder);
  if (names.length === 0 || names.includes('PG_VERSION')) return names.length > 0;
  throw new OperatorError(
    `${folder} is not a PostgreSQL database: it contains ${names[0]} but no PG_VERSION. Move it away.`,
  );
}

/** initdb looks up the name of its user and fails if there is none. */
function requireNamedUser(): void {
  try {
    userInfo();
  } catch {
    throw new OperatorError(
      `PostgreSQL cannot create a database as ${currentUserName()}, which has no entry in /etc/passwd. ` +
        `Start as a user with an entry, or as root. ${USE_OTHER_SERVER}`,
    );
  }
}

async function createDataDirectory(folder: string, options: DataDirectoryOptions): Promise<void> {
  const workspace = join(options.dataDir, temporaryName('postgres.init'));
  try {
    await mkdir(workspace);
    // chmod, since the umask reduces the mode of mkdir: the server account must traverse this folder to read the password file.
    await chmod(workspace, 0o711);
    await runInitdb(workspace, options);
    await rename(join(workspace, 'data'), folder);
  } catch (error) {
    // If another process created the cluster first, this one discards its own.
    if (!(await isDataDirectory(folder))) throw error;
  } finally {
    await removeFolder(workspace);
  }
}

async function runInitdb(workspace: string, { password, binaries, account }: DataDirectoryOptions): Promise<void> {
  const data = join(workspace, 'data');
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(workspace, 'password'), password, { mode: 0o600 });
  if (account) for (const name of ['data', 'password']) await lchown(join(workspace, name), account.uid, account.gid);
  const { cwd, dataArgument } = insideOf(data);
  const args = ['-D', dataArgument, '-U', USER, '-A', 'scram-sha-256', '--pwfile', '../password', '-E', 'UTF8'];
  // The same collation and case rules on every machine, independent of its C library.
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const run = { cwd, ...processOptions(account) };
  await promisify(execFile)(program(binaries, 'initdb'), [...args, ...locale], run).catch((error) => {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new OperatorError(`initdb could not create a database in ${data}: ${stderr?.trim() || message}`, {
      cause: error,
    });
  });
}

/** Checks access on systems other than Linux. On Linux, `insideOf` makes a folder with inaccessible parents usable. */
async function requireReachable(folder: string, account: OsUser | undefined): Promise<void> {
  const why = account && process.platform !== 'linux' && (await diagnosePermission(folder, 'write', account));
  if (!why) return;
  throw new OperatorError(
    `PostgreSQL does not run as root, and ${account.name} cannot access the database: ${why}. ` +
      'Set DATA_DIR to a folder that all users can access, or start as an ordinary user.',
  );
}

/** Restores mode and owner: PostgreSQL rejects a data folder that is accessible to others, for example one that was copied (by root). */
async function keepPrivate(folder: string, account: OsUser | undefined): Promise<void> {
  const { mode, uid } = await stat(folder);
  if ((mode & 0o027) !== 0 && process.getuid) await chmod(folder, 0o700);
  if (uid !== 0 || !account) return;
  for (const name of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, name), account.uid, account.gid);
  }
  // Last, since the owner of the folder shows the next start whether the change of owner was completed.
  await lchown(folder, account.uid, account.gid);
}
