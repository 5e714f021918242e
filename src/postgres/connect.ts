/** The database that the configuration asks for: a given one, or the embedded PostgreSQL; migrated either way. */
import type { Config } from '../config.js';
import { migrateJobs } from '../jobs/runner.js';
import { type Database, openDatabase } from '../models/database.js';
import { migrate } from '../models/migrate.js';
import { loadSecrets } from '../secrets.js';
import { startEmbeddedPostgres } from './embedded.js';

export interface Connected {
  database: Database;
  /** Closes the pool, then stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

/** Milliseconds after which PostgreSQL cancels a statement: no request should wait longer. */
const STATEMENT_TIMEOUT = 30_000;

/**
 * @param tell hears, in a sentence, what takes time
 * @throws Error that says what stands in the way
 */
export async function connectDatabase(config: Config, tell: (line: string) => void): Promise<Connected> {
  const embedded = config.databaseUrl === null ? await startEmbedded(config, tell) : null;
  const database = openDatabase(embedded?.url ?? config.databaseUrl ?? '', {
    poolSize: config.databasePoolSize,
    statementTimeout: STATEMENT_TIMEOUT,
  });
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    const applied = await migrate(database.sequelize);
    await migrateJobs(database.url);
    if (applied.length > 0) tell(`Migrated the database: ${applied.join(', ')}.`);
  } catch (error) {
    await close();
    throw config.databaseUrl === null ? error : new DatabaseError(config.databaseUrl, error as Error);
  }
  return { database, close };
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
  tell(`Starting the embedded PostgreSQL in ${dataDir}.`);
  return startEmbeddedPostgres({ dataDir, password: databasePassword });
}
