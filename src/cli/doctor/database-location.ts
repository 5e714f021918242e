/** Finds the database for `daybook doctor` without starting the embedded PostgreSQL. */
import { join } from 'node:path';
import { describeDatabaseUrl } from '../../platform/config/database-url.js';
import type { Config } from '../../platform/config/index.js';
import { readSecrets } from '../../platform/config/secrets.js';
import { installedBinaries, majorOf } from '../../platform/database/embedded/binaries.js';
import { clusterMajor } from '../../platform/database/embedded/data-directory.js';
import { MIGRATE_MAJOR } from '../../platform/database/embedded/embedded.js';
import { readPostmaster } from '../../platform/database/embedded/server.js';
import { urlOf } from '../../platform/database/embedded/server-lock.js';
import { type Finding, failure, note, warning } from './finding.js';

export const DATABASE = 'Database';

export interface DatabaseLocation {
  url: string;
  /** For messages; contains no user name or password. */
  name: string;
}

/** @returns a finding if there is no database to connect to */
export async function findDatabase({ databaseUrl: url, dataDir }: Config): Promise<DatabaseLocation | Finding> {
  if (url !== null) return { url, name: describeDatabaseUrl(url) };
  const cluster = join(dataDir, 'postgres');
  const made = await clusterMajor(dataDir);
  const { version } = await installedBinaries();
  if (made === '')
    return note(DATABASE, `None exists yet: the first start creates one in ${dataDir}, with PostgreSQL ${version}.`);
  if (made !== majorOf(version))
    return failure(
      DATABASE,
      `${cluster} was created by PostgreSQL ${made}, but ${version} is installed.`,
      MIGRATE_MAJOR,
    );
  const running = await readPostmaster(cluster);
  if (!running?.isReady) {
    const message = 'The embedded PostgreSQL is not running: its content, such as pending migrations, was not checked.';
    return warning(DATABASE, message, 'Run the command again while the service runs.');
  }
  const { databasePassword: password } = await readSecrets(dataDir);
  return { url: urlOf({ port: running.port, password }), name: `the embedded server on port ${running.port}` };
}
