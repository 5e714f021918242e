/** An embedded PostgreSQL server in the data folder, from an npm package: for a machine with Node only. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import { prepareDataDir } from '../../config/data-dir.js';
import { OperatorError } from '../../errors.js';
import { type Binaries, installedBinaries, majorOf, prepareBinaries } from './binaries.js';
import { clusterMajor, openDataDirectory } from './data-directory.js';
import { chooseOsUser } from './os-user.js';
import { ensureServer, readPostmaster, rotateLog, type ServerOptions, stopServer } from './server.js';
import { ServerLock, urlOf } from './server-lock.js';

export interface EmbeddedPostgres {
  /** `postgres://` URL of the database `daybook`; valid until `stop`: a server that ended is started again on the same port. */
  url: string;
  /** Releases the server and stops it if no other process uses it. Close connection pools first. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the cluster (`postgres`) and the server log (`postgres.log`); created if missing. */
  dataDir: string;
  /** Password of the superuser; must not change for a given folder. */
  password: string;
  /** Programs of another version than that of the npm package, for a cluster of that version. */
  binaries?: Binaries | undefined;
  /** Receives one line per action; the server writes to its own log. */
  onLog?: (line: string) => void;
  /** Receives one line when the server has ended unexpectedly: that it was started again, or why it could not be. */
  onRestart?: (line: string) => void;
}

/**
 * Starts the server of a data folder, or joins a server that already runs there. Several processes can share it: the last
 * process to stop stops the server, and if it ends while they run, they start it again. If all processes are killed, the server keeps running and the next start joins it.
 *
 * @throws {OperatorError} if the server cannot run on this machine, as this user or in this folder; the message gives cause and remedy.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { password, onLog = () => undefined, onRestart = onLog } = options;
  const dataDir = await prepareDataDir(options.dataDir);
  const account = await chooseOsUser(dataDir);
  const binaries = await prepareBinaries(account, options.binaries ?? (await installedBinaries()));
  const cluster = await openDataDirectory({ dataDir, password, binaries, account, onLog });
  await requireMajor(dataDir, binaries);
  const server = { cluster, binaries, account, logFile: join(dataDir, 'postgres.log') };
  const { running, lock } = await joinServer(server, password, onRestart);
  const as = account ? ` as ${account.name}` : '';
  onLog(`${running.isNew ? 'started' : 'joined'} PostgreSQL on port ${running.port} (process ${running.pid}${as})`);
  const rotation = setInterval(() => void rotateLog(server.logFile), LOG_CHECK_MS).unref();
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf({ port: running.port, password }),
    stop: () => {
      clearInterval(rotation);
      stopping ??= leaveServer(server, lock, onLog);
      return stopping;
    },
  };
}

/** Advice for a cluster of another major version of PostgreSQL. */
export const MIGRATE_MAJOR =
  'Migrate it with "npx daybook backup journal.tar.gz" and "npx daybook restore journal.tar.gz" (docs/backup.md).';

async function requireMajor(dataDir: string, { version }: Binaries): Promise<void> {
  const major = await clusterMajor(dataDir);
  if (major === '' || major === majorOf(version)) return;
  throw new OperatorError(
    `${join(dataDir, 'postgres')} was created by PostgreSQL ${major}, but ${version} is installed. ${MIGRATE_MAJOR}`,
  );
}

const LOG_CHECK_MS = ms('1m');
const ATTEMPTS = 10;
const RETRY_MS = 100;
const WRONG_PASSWORD = '28P01';

/** Finds or starts the server and acquires its lock. Retries if another process stops the server between these two steps. */
async function joinServer(server: ServerOptions, password: string, onRestart: (line: string) => void) {
  let isStartedHere = false;
  for (let attempt = 1; ; attempt++) {
    const running = await ensureServer(server);
    isStartedHere ||= running.isNew;
    const restartServer = supervise({ ...server, port: running.port }, onRestart);
    try {
      return { running, lock: await ServerLock.acquire({ port: running.port, password }, restartServer) };
    } catch (error) {
      const isWrongPassword = (error as { code?: string }).code === WRONG_PASSWORD;
      if (!isWrongPassword && attempt < ATTEMPTS) {
        await delay(RETRY_MS);
        continue;
      }
      if (isStartedHere) await stopServer(server, running.pid);
      throw isWrongPassword ? wrongPassword(server.cluster, error) : error;
    }
  }
}

/** @returns a function that starts the server again if it has ended; its result is false if the cluster has been deleted */
function supervise(server: ServerOptions & { port: number }, onRestart: (line: string) => void) {
  let reported = '';
  const report = (line: string) => {
    if (line !== reported) onRestart(line);
    reported = line;
  };
  return async (): Promise<boolean> => {
    try {
      await access(join(server.cluster, 'PG_VERSION'));
    } catch {
      return false;
    }
    try {
      const { isNew, pid, port } = await ensureServer(server);
      if (port !== server.port) report(`PostgreSQL now runs on port ${port}: restart this process to use it`);
      else if (isNew) report(`PostgreSQL ended unexpectedly and was started again (process ${pid})`);
    } catch (error) {
      report(`PostgreSQL ended unexpectedly and cannot be started again: ${(error as Error).message}`);
    }
    return true;
  };
}

function wrongPassword(cluster: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The database in ${cluster} was created with a password other than the one in DATA_DIR/secrets.json. ` +
      'Restore the original secrets.json, or move the database away to start with an empty one.',
    { cause },
  );
}

async function leaveServer(server: ServerOptions, lock: ServerLock, onLog: (line: string) => void) {
  const isLast = await lock.release();
  const pid = (await readPostmaster(server.cluster))?.pid;
  if (!isLast) onLog('left PostgreSQL running: another process uses it');
  else if (pid === undefined || (await stopServer(server, pid))) onLog('stopped PostgreSQL');
  else onLog(`PostgreSQL (process ${pid}) did not stop`);
  await lock.close().catch(() => undefined);
}
