/** An embedded PostgreSQL server in the data folder, from an npm package: for a machine with Node only. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareDataDir } from '../../config/data-dir.js';
import { SetupError } from '../../config/setup-error.js';
import { prepareBinaries } from './binaries.js';
import { openCluster } from './cluster.js';
import { chooseOsUser } from './os-user.js';
import { ensureServer, type Postmaster, readPostmaster, rotateLog, type ServerOptions, stopServer } from './server.js';
import { ServerLock, urlOf } from './server-lock.js';

export interface EmbeddedPostgres {
  /** `postgres://` URL of the database `daybook`; valid until the server stops, since each start uses another port. */
  url: string;
  /** Releases the server and stops it if no other process uses it. Close connection pools first. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the cluster (`postgres`) and the server log (`postgres.log`); created if missing. */
  dataDir: string;
  /** Password of the superuser; must not change for a given folder. */
  password: string;
  /** Receives one line per action; the server writes to its own log. */
  onLog?: (line: string) => void;
}

/**
 * Starts the server of a data folder, or joins a server that already runs there. Several processes can share it: the last
 * process to stop stops the server. If all processes are killed, the server keeps running and the next start joins it.
 *
 * @throws {SetupError} if the server cannot run on this machine, as this user or in this folder; the message gives cause and remedy.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { password, onLog = () => undefined } = options;
  const dataDir = await prepareDataDir(options.dataDir);
  const account = await chooseOsUser(dataDir);
  const binaries = await prepareBinaries(account);
  const cluster = await openCluster({ dataDir, password, binaries, account, onLog });
  const server = { cluster, binaries, account, logFile: join(dataDir, 'postgres.log') };
  const { running, lock } = await joinServer(server, password);
  const as = account ? ` as ${account.name}` : '';
  onLog(`${running.isNew ? 'started' : 'joined'} PostgreSQL on port ${running.port} (process ${running.pid}${as})`);
  const rotation = setInterval(() => void rotateLog(server.logFile), LOG_CHECK_MS).unref();
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf({ port: running.port, password }),
    stop: () => {
      clearInterval(rotation);
      stopping ??= leaveServer(server, running, lock, onLog);
      return stopping;
    },
  };
}

const LOG_CHECK_MS = 60_000;
const ATTEMPTS = 10;
const RETRY_MS = 100;
const WRONG_PASSWORD = '28P01';

/** Finds or starts the server and acquires its lock. Retries if another process stops the server between these two steps. */
async function joinServer(server: ServerOptions, password: string) {
  let isStartedHere = false;
  for (let attempt = 1; ; attempt++) {
    const running = await ensureServer(server);
    isStartedHere ||= running.isNew;
    const isServer = async () => (await readPostmaster(server.cluster))?.port === running.port;
    try {
      return { running, lock: await ServerLock.acquire({ port: running.port, password }, isServer) };
    } catch (error) {
      const isRefused = (error as { code?: string }).code === WRONG_PASSWORD;
      if (!isRefused && attempt < ATTEMPTS) {
        await delay(RETRY_MS);
        continue;
      }
      if (isStartedHere) await stopServer(server, running.pid);
      throw isRefused ? wrongPassword(server.cluster, error) : error;
    }
  }
}

function wrongPassword(cluster: string, cause: unknown): SetupError {
  return new SetupError(
    `The database in ${cluster} was created with a password other than the one in DATA_DIR/secrets.json. ` +
      'Restore the original secrets.json, or move the database away to start with an empty one.',
    { cause },
  );
}

async function leaveServer(
  server: ServerOptions,
  { pid }: Postmaster,
  lock: ServerLock,
  onLog: (line: string) => void,
) {
  if (!(await lock.release())) onLog('left PostgreSQL running: another process uses it');
  else if (await stopServer(server, pid)) onLog('stopped PostgreSQL');
  else onLog(`PostgreSQL (process ${pid}) did not stop`);
  await lock.close().catch(() => undefined);
}
