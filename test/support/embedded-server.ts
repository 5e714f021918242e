/** The embedded PostgreSQL of a data folder. */
import { join } from 'node:path';
import { loadSecrets } from '../../src/platform/config/secrets.js';
import { readPostmaster } from '../../src/platform/database/embedded/server.js';
import { urlOf } from '../../src/platform/database/embedded/server-lock.js';
import { until } from './until.js';

/** @returns undefined if none runs */
export const findServer = (dataDir: string) => readPostmaster(join(dataDir, 'postgres'));

/** Waits until the server accepts connections. @param ended the process ID of the one before it */
export function readyServer(dataDir: string, ended?: number): Promise<{ pid: number; port: number }> {
  return until(async () => {
    const server = await findServer(dataDir);
    return server?.isReady === true && server.pid !== ended && server;
  });
}

/** The URL of its database, once it accepts connections. */
export async function serverUrl(dataDir: string): Promise<string> {
  const { databasePassword: password } = await loadSecrets(dataDir);
  return urlOf({ port: (await readyServer(dataDir)).port, password });
}
