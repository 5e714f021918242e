/** A PostgreSQL in the data folder, out of an npm package: for a machine that has nothing but Node. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAccount } from './account.js';
import { usableBinaries } from './binaries-place.js';
import { Claim, urlOf } from './claim.js';
import { openCluster } from './cluster.js';
import { prepareDataDir } from './data-dir.js';
import { trimLog } from './log.js';
import { type Postmaster, readPostmaster } from './pidfile.js';
import { ensureServer, type ServerOptions } from './server.js';
import { SetupError } from './setup-error.js';
import { stopServer } from './stop-server.js';

export interface EmbeddedPostgres {
  /** `postgres://` address of the database `daybook`; good until the server stops, since each start has another port. */
  url: string;
  /** Gives the server up. It is stopped if no other process uses it. Close pools before; calling twice is harmless. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the database (`postgres`) and the server's log (`postgres.log`); made where missing. */
  dataDir: string;
  /** Of the database's superuser, always the same for one folder. */
  password: string;
  /** Takes one line about what was done at a time; the server itself writes to its log. */
  onLog?: (line: string) => void;
}

/**
 * Starts the server of a data folder, or joins the one that runs there already, whoever started it. Processes share it:
 * the last to stop stops the server. If all are killed it stays, and the next start joins it.
 *
 * @throws {SetupError} if this machine, user or folder cannot have one; the message says why and what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { password, onLog = () => undefined } = options;
  const dataDir = await prepareDataDir(options.dataDir);
  const account = await chooseAccount(dataDir);
  const binaries = await usableBinaries(account);
  const cluster = await openCluster({ dataDir, password, binaries, account, onLog });
  const server = { cluster, binaries, account, logFile: join(dataDir, 'postgres.log') };
  const { running, claim } = await enter(server, password);
  const as = account ? ` as ${account.name}` : '';
  onLog(`${running.isNew ? 'started' : 'joined'} PostgreSQL on port ${running.port} (process ${running.pid}${as})`);
  const trimming = setInterval(() => void trimLog(server.logFile), TRIM_MS).unref();
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf({ port: running.port, password }),
    stop: () => {
      clearInterval(trimming);
      stopping ??= leave(server, running, claim, onLog);
      return stopping;
    },
  };
}

const TRIM_MS = 60_000;
const ATTEMPTS = 10;
const RETRY_MS = 100;
const WRONG_PASSWORD = '28P01';

/** The server may be stopped by its last user between being found and being claimed; then all begins anew. */
async function enter(server: ServerOptions, password: string) {
  let isOurs = false;
  for (let attempt = 1; ; attempt++) {
    const running = await ensureServer(server);
    isOurs ||= running.isNew;
    const isServer = async () => (await readPostmaster(server.cluster))?.port === running.port;
    try {
      return { running, claim: await Claim.make({ port: running.port, password }, isServer) };
    } catch (error) {
      const isRefused = (error as { code?: string }).code === WRONG_PASSWORD;
      if (!isRefused && attempt < ATTEMPTS) {
        await delay(RETRY_MS);
        continue;
      }
      if (isOurs) await stopServer(server, running.pid);
      throw isRefused ? wrongPassword(server.cluster, error) : error;
    }
  }
}

function wrongPassword(cluster: string, cause: unknown): SetupError {
  return new SetupError(
    `The database in ${cluster} was made with another password than the one in DATA_DIR/secrets.json. ` +
      'Put the secrets.json back that lay beside it, or move the database away to begin with an empty one.',
    { cause },
  );
}

async function leave(server: ServerOptions, { pid }: Postmaster, claim: Claim, onLog: (line: string) => void) {
  if (!(await claim.release())) onLog('left PostgreSQL running: another process uses it');
  else if (await stopServer(server, pid)) onLog('stopped PostgreSQL');
  else onLog(`PostgreSQL (process ${pid}) does not stop`);
  await claim.close().catch(() => undefined);
}
