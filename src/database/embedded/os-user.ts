/**
 * The operating system account that runs the PostgreSQL server, which does not start as root, and an explanation of denied file access
 * by mode and owner: the system error (EACCES) names neither the file nor the account.
 */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SetupError } from './setup-error.js';

export interface OsUser {
  name: string;
  uid: number;
  gid: number;
}

/** Service accounts in order of preference; `_postgres` is the account name on macOS. */
const SYSTEM_ACCOUNTS = ['postgres', '_postgres', 'nobody'];

/**
 * The owner of an existing cluster keeps it. A new cluster that root creates in another user's folder belongs to the owner of that
 * folder. In both cases root and the owner can start the server.
 *
 * @param dataDir an existing folder.
 * @returns undefined if this process is not root: the server then runs as the same user.
 * @throws {SetupError} if /etc/passwd has no suitable account.
 */
export async function chooseOsUser(dataDir: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const byUid = (uid: number) => accounts.find((account) => account.uid === uid);
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster && cluster.uid !== 0) {
    const { uid, gid } = cluster;
    return { name: byUid(uid)?.name ?? `uid ${uid}`, uid, gid };
  }
  const { uid } = await stat(dataDir);
  // initdb requires a named account, so a uid without an entry in /etc/passwd cannot be used here.
  const owner = uid === 0 ? undefined : byUid(uid);
  return owner ?? systemAccount(accounts);
}

/** `spawn` options that run a program as `account` with a minimal environment. */
export function processOptions(account: OsUser | undefined) {
  // The server may outlive this process: it inherits neither secrets nor a PGPORT, PGDATA or LD_LIBRARY_PATH set for other programs.
  const env: NodeJS.ProcessEnv = process.platform === 'win32' ? {} : { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  return account ? { env, uid: account.uid, gid: account.gid } : { env };
}

/** `write` on a folder also requires the permission to enter it. */
type Need = 'enter' | 'write' | 'run';

/**
 * Walks from the root of the file system to `path` and stops at the first folder or file whose mode denies access.
 * If a component of the path does not exist, its parent folder must be writable. Access control lists are not evaluated.
 *
 * @param account the account that needs access; if undefined, the user of this process.
 * @returns a clause such as `/root (owned by root, mode 700) does not permit postgres to enter it`; undefined if modes do not explain it.
 */
export async function diagnosePermission(path: string, need: Need, account?: OsUser): Promise<string | undefined> {
  const who = account ? { ...account, groups: [account.gid] } : currentUser();
  if (who.uid === 0) return undefined;
  let parent: { path: string; stats: Stats } | undefined;
  for (const step of stepsTo(resolve(path))) {
    const stats = await stat(step).catch(() => undefined);
    if (!stats) return parent && !permits(parent.stats, who, 'write') ? clause(parent, 'write', who) : undefined;
    const needed = step === resolve(path) ? need : 'enter';
    if (!permits(stats, who, needed)) return clause({ path: step, stats }, needed, who);
    parent = { path: step, stats };
  }
  return undefined;
}

/** @returns the name of the user that this process runs as, or `uid <number>` if the system has no name for it. */
export function currentUserName(): string {
  return currentUser().name;
}

interface Identity {
  name: string;
  uid: number;
  groups: readonly number[];
}

function currentUser(): Identity {
  const uid = process.geteuid?.() ?? 0;
  const groups = [...(process.getgroups?.() ?? []), process.getegid?.() ?? 0];
  try {
    return { name: userInfo().username, uid, groups };
  } catch {
    // A container may run as a uid without an entry in /etc/passwd.
    return { name: `uid ${uid}`, uid, groups };
  }
}

function stepsTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...stepsTo(parent), path];
}

function permits(stats: Stats, who: Identity, need: Need): boolean {
  const bits = (need === 'write' ? 0o2 : 0) | (need !== 'write' || stats.isDirectory() ? 0o1 : 0);
  const shift = stats.uid === who.uid ? 6 : who.groups.includes(stats.gid) ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

const DENIALS: Record<Need, (name: string) => string> = {
  enter: (name) => `does not permit ${name} to enter it`,
  write: (name) => `does not permit ${name} to write to it`,
  run: (name) => `does not permit ${name} to run it`,
};

async function clause(
  { path, stats }: { path: string; stats: Stats },
  need: Need,
  { name }: Identity,
): Promise<string> {
  const owner = (await readAccounts()).find(({ uid }) => uid === stats.uid)?.name ?? `uid ${stats.uid}`;
  const mode = (stats.mode & 0o7777).toString(8);
  return `${path} (owned by ${owner}, mode ${mode}) ${DENIALS[need](name)}`;
}

function systemAccount(accounts: readonly OsUser[]): OsUser {
  for (const name of SYSTEM_ACCOUNTS) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid > 0);
    if (account) return account;
  }
  throw new SetupError(
    `PostgreSQL does not run as root, and /etc/passwd contains none of the unprivileged users ${SYSTEM_ACCOUNTS.join(', ')}. ` +
      'Start as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  );
}

async function readAccounts(): Promise<OsUser[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
