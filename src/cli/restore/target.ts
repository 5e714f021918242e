/** The database that is restored: DATABASE_URL, or an embedded one, which is created if it does not exist. */
import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbedded } from '../../models/connect-database.js';
import { removeFolder } from '../../platform/config/data-dir.js';
import type { Config } from '../../platform/config/index.js';
import { installedBinaries, majorOf } from '../../platform/database/embedded/binaries.js';
import { clusterMajor } from '../../platform/database/embedded/data-directory.js';
import { readPostmaster } from '../../platform/database/embedded/server.js';
import { OperatorError } from '../../platform/errors.js';
import { connectTo, type OpenDatabase } from '../backup/source.js';

export interface Target extends OpenDatabase {
  /** Removes what `openTarget` created, after `close`. */
  undo(): Promise<void>;
}

/** A database folder of another major version of PostgreSQL is set aside. @throws OperatorError if that is not possible */
export async function openTarget(config: Config, onProgress: (line: string) => void): Promise<Target> {
  if (config.databaseUrl !== null) {
    return { ...(await connectTo(config, config.databaseUrl, async () => {})), undo: async () => {} };
  }
  const { dataDir } = config;
  const before = new Set(await readdir(dataDir).catch((): string[] => []));
  const hadFolder = (await stat(dataDir).catch(() => undefined)) !== undefined;
  const setAside = await setAsideOther(dataDir, onProgress);
  const undo = async () => {
    const cluster = join(dataDir, 'postgres');
    const isNew = setAside !== undefined || !before.has('postgres');
    // Another process may have started to use it.
    if (!isNew || (await readPostmaster(cluster))) return;
    await removeFolder(cluster);
    if (setAside !== undefined) await rename(setAside, cluster);
    for (const name of ['secrets.json', 'postgres.log']) {
      if (!before.has(name)) await rm(join(dataDir, name), { force: true });
    }
    // Fails if the folder is not empty.
    if (!hadFolder) await rmdir(dataDir).catch(() => {});
  };
  try {
    const server = await startEmbedded(config, onProgress);
    return { ...(await connectTo(config, server.url, () => server.stop())), undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** @returns the new path of the folder, or undefined if there was no reason to rename it */
async function setAsideOther(dataDir: string, onProgress: (line: string) => void): Promise<string | undefined> {
  const major = await clusterMajor(dataDir);
  const { version } = await installedBinaries();
  if (major === '' || major === majorOf(version)) return undefined;
  const [cluster, aside] = [join(dataDir, 'postgres'), join(dataDir, `postgres-${major}`)];
  if (await readPostmaster(cluster))
    throw new OperatorError(`PostgreSQL ${major} is running in ${cluster}: stop the service`);
  if (await stat(aside).catch(() => undefined)) throw new OperatorError(`${aside} exists already: move it away`);
  await rename(cluster, aside);
  onProgress(`The database of PostgreSQL ${major} is now in ${aside}: delete it when you no longer need it.`);
  return aside;
}
