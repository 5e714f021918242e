/** Explains a denied file access by mode and owner: the system error (EACCES) names neither the file nor the account. */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

/** An account of the operating system. */
export interface OsUser {
  name: string;
  uid: number;
  gid: number;
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

/** @returns the accounts of /etc/passwd; none where it cannot be read */
export async function readAccounts(): Promise<OsUser[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
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
