/** Connects to the configured database: DATABASE_URL or the embedded PostgreSQL. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeDatabaseUrl } from '../platform/config/database-url.js';
import type { Config } from '../platform/config/index.js';
import { loadSecrets } from '../platform/config/secrets.js';
import { connectionAdvice, isTransactionPooler, USE_SESSIONS } from '../platform/database/connection-advice.js';
import type { Binaries } from '../platform/database/embedded/binaries.js';
import { startEmbeddedPostgres } from '../platform/database/embedded/embedded.js';
import {
  describeUnknown,
  migrate,
  migrationState,
  RUN_NEWER_VERSION,
  unknownMigrations,
} from '../platform/database/migrate.js';
import { migrateJobs } from '../platform/database/migrate-queue.js';
import { type Database, type DatabaseLimits, openDatabase } from '../platform/database/pool.js';
import { OperatorError } from '../platform/errors.js';
import { models } from './index.js';

export interface Connected {
  database: Database;
  /** Closes the pool, then stops the embedded server if no other process uses it. */
  close(): Promise<void>;
}

interface StartOptions {
  /** For a process that serves requests; subcommands set none. */
  limits?: DatabaseLimits;
  /** Aborted, the next start continues with the next migration. */
  signal?: AbortSignal;
}

/**
 * Connects, and applies pending migrations.
 * @param onProgress receives progress messages, one sentence each
 * @returns the connection, the names of the migrations that were applied, and of those that only a newer version knows
 * @throws Error with a message that describes the cause
 */
export async function connectDatabase(
  config: Config,
  onProgress: (line: string) => void,
  { limits, signal }: StartOptions = {},
): Promise<Connected & { applied: string[]; unknown: string[] }> {
  let unknown: string[] = [];
  let applied: string[] = [];
  const prepare = async (database: Database) => {
    applied = await migrate(database.url, { onProgress, ...(signal && { signal }) });
    await migrateJobs(database.url);
    unknown = await unknownMigrations(database);
  };
  const connected = await connectWith(config, onProgress, prepare, limits);
  if (applied.length > 0) onProgress(`Migrated the database: ${applied.join(', ')}.`);
  // A process of the former version may serve requests beside those of the new one, while they replace it.
  if (unknown.length > 0) onProgress(`${describeUnknown('Warning: the database', unknown)} ${RUN_NEWER_VERSION}`);
  return { ...connected, applied, unknown };
}

/** For subcommands that need an existing journal: applies no migrations and creates no database. @throws Error also if migrations are pending */
export async function connectToExisting(config: Config, onProgress: (line: string) => void): Promise<Connected> {
  await requireJournal(config);
  return connectWith(config, onProgress, requireMigrated);
}

/** @throws {OperatorError} if migrations are pending */
async function requireMigrated({ sequelize }: Database): Promise<void> {
  const states = await migrationState(sequelize);
  const pending = states.filter(({ appliedAt }) => appliedAt === null);
  if (pending.length === 0) return;
  if (pending.length === states.length)
    throw new OperatorError(
      'It has no tables of Daybook: set the settings of the service, or create them with "npx daybook migrate"',
    );
  throw new OperatorError(
    `Its schema is older than this version of Daybook: ${pending.length} migrations are pending. Run "npx daybook migrate" first`,
  );
}

/**
 * For a worker process, whose primary has opened and migrated the database with this URL.
 * @throws Error also if migrations are pending, as in a worker of a newer version than its primary
 */
export async function connectWorker(config: Config, url: string): Promise<Connected> {
  const database = open(url, config, config.databaseLimits);
  const close = () => database.close();
  try {
    await requireMigrated(database);
    return { database, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param prepare runs before the function returns; if it fails, the connection is closed */
export async function connectWith(
  config: Config,
  onProgress: (line: string) => void,
  prepare: (database: Database) => Promise<void>,
  limits: DatabaseLimits = {},
): Promise<Connected> {
  const { databaseUrl } = config;
  if (databaseUrl !== null) await requireSessions(databaseUrl);
  const embedded = databaseUrl === null ? await startEmbedded(config, onProgress) : null;
  const database = open(databaseUrl ?? embedded?.url ?? '', config, limits);
  const close = async () => {
    await database.close();
    await embedded?.stop();
  };
  try {
    await prepare(database);
  } catch (error) {
    await close();
    throw databaseUrl === null ? error : new DatabaseError(databaseUrl, error as Error);
  }
  return { database, close };
}

function open(url: string, config: Config, limits: DatabaseLimits): Database {
  const { databasePoolSize: poolSize, databaseStatementTimeoutMs: statementTimeoutMs } = config;
  return openDatabase(url, { models, poolSize, statementTimeoutMs, ...limits });
}

/** @throws DatabaseError if it is a pooler in transaction mode, or cannot be reached */
async function requireSessions(url: string): Promise<void> {
  const problem = await isTransactionPooler(url).catch((error: Error) => error);
  if (problem === false) return;
  throw new DatabaseError(
    url,
    problem === true ? new OperatorError(`it is a pooler in transaction mode. ${USE_SESSIONS}`) : problem,
  );
}

/** @throws {OperatorError} if the embedded database is configured, but does not exist in DATA_DIR */
export async function requireJournal({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null) return;
  const found = await stat(join(dataDir, 'postgres', 'PG_VERSION')).catch((error) => error);
  if (found.code !== 'ENOENT') return;
  throw new OperatorError(
    `No database exists in ${dataDir} (DATA_DIR): set DATA_DIR or DATABASE_URL as for the service, or start it once to create one`,
  );
}

export class DatabaseError extends Error {
  constructor(url: string, cause: Error) {
    const advice = connectionAdvice(cause);
    const message = `The database at ${describeDatabaseUrl(url)} (DATABASE_URL) cannot be used: ${reasonOf(cause)}`;
    super(advice === undefined ? message : `${message}. ${advice}`, { cause });
  }
}

/** An AggregateError of a name with several addresses has no message. */
function reasonOf({ message, ...cause }: Error): string {
  return message || ('code' in cause ? String(cause.code) : 'the connection failed');
}

/** @param binaries if the cluster belongs to another version of PostgreSQL than that of the npm package */
export async function startEmbedded({ dataDir }: Config, onProgress: (line: string) => void, binaries?: Binaries) {
  const { databasePassword: password } = await loadSecrets(dataDir);
  onProgress(`Opening the embedded PostgreSQL in ${dataDir}.`);
  return startEmbeddedPostgres({ dataDir, password, binaries, onRestart: (line) => onProgress(`${line}.`) });
}
