/** The service as a process, on a separate database of the suite's PostgreSQL that several processes can share. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JWT_SECRET, MANY_REGISTRATIONS } from './app.js';
import { startProcess } from './process.js';

export interface RunningService {
  url: string;
  stop(): Promise<void>;
  /** Kills the process without a graceful shutdown. */
  kill(): Promise<void>;
}

/** Starts a server on a free port. All servers share the secret of the tests. */
export async function startService(
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-process-'));
  const own = { HOST: '127.0.0.1', DATABASE_URL: databaseUrl, DATA_DIR: dataDir, JWT_SECRET, LOG_LEVEL: 'fatal' };
  const limits = { LIMIT_REGISTER: MANY_REGISTRATIONS };
  const { child, url, told, ended } = await startProcess({ ...own, ...limits, ...environment });
  await told('Daybook is ready.');
  const endWith = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url, stop: () => endWith('SIGTERM'), kill: () => endWith('SIGKILL') };
}
