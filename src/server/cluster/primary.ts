/** The primary process of several workers: owns the embedded database and the migrations, and supervises the workers. */
import '../node-env.js';
import { closeSync, openSync } from 'node:fs';
import { type Connected, connectDatabase } from '../../models/connect-database.js';
import type { Config } from '../../platform/config/index.js';
import { checkAddress } from '../../platform/http/listen.js';
import { createLog } from '../../platform/observability/log.js';
import { announce, print, stopOnSignal } from '../process.js';
import { WorkerSupervisor } from './worker-supervisor.js';

/**
 * Starts `count` workers. SIGHUP restarts the workers one after another.
 * @throws Error with the reason if the workers or the database cannot start
 */
export async function startPrimary(config: Config, count: number): Promise<void> {
  const log = createLog(config.logLevel);
  // All workers listen on one port, also if they are all replaced at the same time.
  const port = await checkAddress(config);
  const { shutdownDelayMs } = config;
  const supervisor = new WorkerSupervisor({ count, port, shutdownDelayMs, log });
  let connecting: Promise<Connected> | undefined;
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await supervisor.stop();
    // The embedded database is open before it can be stopped.
    await (await connecting?.catch(() => undefined))?.close();
  };
  stopOnSignal(config.shutdownDelayMs, (signal) => {
    print(`${signal}: stopping.`);
    return stop();
  });
  const isInTerminal = hasTerminal();
  const onHangup = () => {
    if (!isInTerminal || hasTerminal()) {
      void supervisor.restart();
      return;
    }
    // The terminal was closed, which ends a process without a handler. `process.exit` would abort on the closed terminal.
    supervisor.kill();
    process.off('SIGHUP', onHangup);
    process.kill(process.pid, 'SIGHUP');
  };
  process.on('SIGHUP', onHangup);
  try {
    supervisor.start();
    connecting = connectDatabase(config, print, { signal: stopping.signal });
    const { database } = await connecting;
    await supervisor.serve(database.url);
    announce(config, port, count);
  } catch (error) {
    if (stopping.signal.aborted) return;
    await stop();
    throw error;
  }
}

/** Whether the process has a controlling terminal. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
