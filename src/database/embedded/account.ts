/** Which account of the operating system the server runs as: PostgreSQL refuses to be root. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from './setup-error.js';

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Accounts without a person behind them, best first; `_postgres` is how macOS calls its own. */
const SYSTEM_ACCOUNTS = ['postgres', '_postgres', 'nobody'];

/**
 * An existing database stays with its owner, and so does one that root makes in somebody's folder: both can then start it.
 *
 * @param dataDir an existing folder.
 * @returns undefined if this process is not root and the server can simply run as the same user.
 * @throws {SetupError} if the system has no account for it.
 */
export async function chooseAccount(dataDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const byUid = (uid: number) => accounts.find((account) => account.uid === uid);
  const cluster = await stat(join(dataDir, 'postgres')).catch(() => undefined);
  if (cluster && cluster.uid !== 0) {
    const { uid, gid } = cluster;
    return { name: byUid(uid)?.name ?? `uid ${uid}`, uid, gid };
  }
  const { uid } = await stat(dataDir);
  // initdb insists on an account with a name, so a bare number cannot be used here.
  const owner = uid === 0 ? undefined : byUid(uid);
  return owner ?? systemAccount(accounts);
}

/** What `spawn` needs to run a program as `account`, in a clean environment. */
export function processOptions(account: Account | undefined) {
  // The server may outlive this process: it gets neither its secrets nor any PGPORT, PGDATA or LD_LIBRARY_PATH meant for others.
  const env: NodeJS.ProcessEnv = process.platform === 'win32' ? {} : { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  return account ? { env, uid: account.uid, gid: account.gid } : { env };
}

/** @returns the names that /etc/passwd has, by number. */
export async function accountNames(): Promise<Map<number, string>> {
  return new Map((await readAccounts()).map(({ uid, name }) => [uid, name]));
}

function systemAccount(accounts: readonly Account[]): Account {
  for (const name of SYSTEM_ACCOUNTS) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid > 0);
    if (account) return account;
  }
  throw new SetupError(
    `PostgreSQL refuses to run as root, and /etc/passwd has none of ${SYSTEM_ACCOUNTS.join(', ')} to run it as. ` +
      'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours.',
  );
}

async function readAccounts(): Promise<Account[]> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
