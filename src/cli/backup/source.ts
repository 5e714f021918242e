/** The database that is backed up: DATABASE_URL, or the embedded one, also if it belongs to another version of PostgreSQL. */
import type pg from 'pg';
import { DatabaseError, requireJournal, startEmbedded } from '../../models/connect-database.js';
import type { Config } from '../../platform/config/index.js';
import { openConnection } from '../../platform/database/dedicated-connection.js';
import { findBinaries } from '../../platform/database/embedded/binaries.js';
import { clusterMajor } from '../../platform/database/embedded/data-directory.js';

export interface OpenDatabase {
  client: pg.Client;
  close(): Promise<void>;
}

/** @param programs folder of the PostgreSQL programs for the data folder */
export async function openSource(
  config: Config,
  programs: string | undefined,
  onProgress: (line: string) => void,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return connectTo(config, config.databaseUrl, async () => {});
  await requireJournal(config);
  const binaries = await findBinaries(await clusterMajor(config.dataDir), programs);
  const server = await startEmbedded(config, onProgress, binaries);
  return connectTo(config, server.url, () => server.stop());
}

/** A connection without timeouts. @param stop called after it is closed, or if it cannot be opened */
export async function connectTo(
  { databaseUrl }: Config,
  connectionString: string,
  stop: () => Promise<void>,
): Promise<OpenDatabase> {
  try {
    const client = await openConnection({ connectionString, application_name: 'daybook backup' });
    const close = async () => {
      // Does not wait for a statement in progress.
      await client.end().catch(() => {});
      await stop();
    };
    return { client, close };
  } catch (error) {
    await stop();
    throw databaseUrl === null ? error : new DatabaseError(databaseUrl, error as Error);
  }
}
