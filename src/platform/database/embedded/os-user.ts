/** The operating system account that runs the PostgreSQL server, which does not start as root. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type OsUser, readAccounts } from '../../config/file-permission.js';
import { OperatorError } from '../../errors.js';

/** Service accounts in order of preference; `_postgres` is the account name on macOS. */
const SYSTEM_ACCOUNTS = ['postgres', '_postgres', 'nobody'];

/**
 * The owner of an existing cluster keeps it. A new cluster that root creates in another user's folder belongs to the owner of that
 * folder. In both cases root and the owner can start the server.
 *
 * @param dataDir an existing folder.
 * @returns undefined if this process is not root: the server then runs as the same user.
 * @throws {OperatorError} if /etc/passwd has no suitable account.
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
  const env: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  return account ? { env, uid: account.uid, gid: account.gid } : { env };
}

function systemAccount(accounts: readonly OsUser[]): OsUser {
  for (const name of SYSTEM_ACCOUNTS) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid > 0);
    if (account) return account;
  }
  throw new OperatorError(
    `PostgreSQL does not run as root, and /etc/passwd contains none of the unprivileged users ${SYSTEM_ACCOUNTS.join(', ')}. ` +
      'Start as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  );
}
