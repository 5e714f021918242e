/** The database that the configuration asks for: a given one, or the embedded PostgreSQL; migrated either way. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/index.js';
import { startEmbeddedPostgres } from '../database/embedded/embedded.js';
import { loadSecrets } from '../database/embedded/secrets.js';
import { SetupError } from '../database/embedded/setup-error.js';
import { migrate, migrationState } from '../database/migrate.js';
import { migrateJobs } from '../database/migrate-queue.js';
import { type Database, type DatabaseLimits, openDatabase, STATEMENT_TIMEOUT_MS } from '../database/pool.js';
import { models } from './index.js';

export interface Connected {
  database: Database;
  /** Closes the pool, then stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

/**
 * @param tell hears, in a sentence, what takes time
 * @param limits of a process that serves requests; a command has none
 * @returns with the names of the migrations that were pending
 * @throws Error that says what stands in the way
 */
export async function connectDatabase(
  config: Config,
  tell: (line: string) => void,
  limits: DatabaseLimits = {},
): Promise<Connected & { applied: string[] }> {
  let applied: string[] = [];
  const prepare = async (database: Database) => {
    applied = await migrate(database.sequelize);
    await migrateJobs(database.url);
  };
  const connected = await connectWith(config, tell, prepare, limits);
  if (applied.length > 0) tell(`Migrated the database: ${applied.join(', ')}.`);
  return { ...connected, applied };
}

/** For what only reads: nothing is migrated, and no database is made. @throws Error also where migrations are pending */
export async function connectToRead(config: Config, tell: (line: string) => void): Promise<Connected> {
  await requireJournal(config);
  return connectWith(config, tell, async ({ sequelize }) => {
    const pending = (await migrationState(sequelize)).filter(({ appliedAt }) => appliedAt === null);
    if (pending.length === 0) return;
    throw new SetupError(
      `It is not of this version of Daybook: ${pending.length} migrations are pending. Run "npx daybook migrate" first`,
    );
  });
}

/** @param prepare is done before anything else; where it fails, the connection is closed */
export async function connectWith(
  config: Config,
  tell: (line: string) => void,
  prepare: (database: Database) => Promise<void>,
  limits: DatabaseLimits = {},
): Promise<Connected> {
  const embedded = config.databaseUrl === null ? await startEmbedded(config, tell) : null;
  const database = openDatabase(embedded?.url ?? config.databaseUrl ?? '', {
    models,
    poolSize: config.databasePoolSize,
    statementTimeout: STATEMENT_TIMEOUT_MS,
    ...limits,
  });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await prepare(database);
  } catch (error) {
    await close();
    throw config.databaseUrl === null ? error : new DatabaseError(config.databaseUrl, error as Error);
  }
  return { database, close };
}

/** @throws {SetupError} where the embedded database has yet to be made */
export async function requireJournal({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null) return;
  const found = await stat(join(dataDir, 'postgres', 'PG_VERSION')).catch((error) => error);
  if (found.code !== 'ENOENT') return;
  throw new SetupError(`There is no database in ${dataDir} yet: "npm start" makes it. DATA_DIR says where it is`);
}

class DatabaseError extends Error {
  constructor(url: string, cause: Error) {
    const { hostname, port, pathname } = new URL(url);
    // Without user and password: this is printed.
    super(`The database at ${hostname}:${port || 5432}${pathname} (DATABASE_URL) cannot be used: ${cause.message}`, {
      cause,
    });
  }
}

async function startEmbedded({ dataDir }: Config, tell: (line: string) => void) {
  const { databasePassword } = await loadSecrets(dataDir);
  tell(`Opening the embedded PostgreSQL in ${dataDir}.`);
  return startEmbeddedPostgres({ dataDir, password: databasePassword });
}
