/** The PostgreSQL connection pool, with transactions and prepared statements. */
import ms from 'ms';
import pg from 'pg';
import { ConnectionAcquireTimeoutError, ConnectionError, type Transaction } from 'sequelize';
import { type ModelCtor, Sequelize } from 'sequelize-typescript';
import { FairStarts } from '../concurrency/fair-starts.js';
import type { Release, SemaphoreState } from '../concurrency/weighted-semaphore.js';
import { hostUrls } from '../config/database-url.js';
import { fixedLimit } from '../config/fixed-limit.js';
import { AppError } from '../errors.js';
import type { PoolState } from '../observability/metrics/saturation.js';
import type { BoundedConfig } from './bounded-client.js';
import { DatabaseClock } from './clock.js';
import {
  ConnectionShares,
  type DatabaseClient,
  RequestStatements,
  SERVICE_CLIENT,
  type ShareOptions,
} from './connection-shares.js';
import { throwMapped } from './constraint-violation.js';
import { type ConnectionManager, clientOf, isInvalid, managerOf } from './internals.js';
import { ObservedClient } from './observed-client.js';
import { evictLeastRecentlyUsed } from './prepared-statement-limit.js';
import { type PreparedText, rowsOf, type Statement } from './statement.js';

export interface Database {
  /** The `postgres://` URL for connections outside the pool: for LISTEN, locks, migrations and jobs. */
  readonly url: string;
  readonly sequelize: Sequelize;
  /**
   * Runs a prepared statement on a pooled connection, retrying it after a deadlock, or on the connection of the transaction.
   * @throws AppError for constraint violations (constraint-violation.ts), but within a transaction only at its end
   */
  query<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
    transaction?: Transaction,
  ): Promise<Row[]>;
  /** Like `query`, for one statement that is a complete change: `src/services/idempotency` adds it to the transaction of the request. */
  change: Database['query'];
  /**
   * Runs `work` in a transaction; retries after a deadlock or serialization failure, so `work` must have no external side effects.
   * @throws AppError for constraint violations (constraint-violation.ts)
   */
  inTransaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Begins a transaction that only reads, in one state of the data (`Snapshot`). */
  beginSnapshot(): Promise<SnapshotTransaction>;
  /** Of a database whose statements without a transaction run in a snapshot. */
  readonly snapshot?: {
    /** Delays the begin until `wait` is over: no connection is held meanwhile. Call it before the first statement. */
    beginAfter<Result>(wait: Promise<Result>): Promise<Result>;
  };
  /** The same database for one request, or for one kind of work: its statements and transactions count for `client`. */
  forClient(client: DatabaseClient): Database;
  /** The clock of the database server, which all processes share, in milliseconds since 1970. */
  now(): number;
  close(): Promise<void>;
  poolState(): PoolState;
  /** The queues of transactions. */
  queues(): readonly { readonly state: SemaphoreState }[];
}

export interface TransactionOptions {
  /** Whether it writes a long text, whose search index takes PostgreSQL long. */
  readonly isLarge?: boolean;
}

/** A transaction for reads only, on one connection. */
export interface SnapshotTransaction {
  query<Row>(statement: PreparedText, values: readonly unknown[]): Promise<Row[]>;
  end(): Promise<void>;
}

export interface DatabaseOptions extends DatabaseLimits {
  /** Sequelize models that use the pool. Default: none. */
  models?: ModelCtor[];
  /** Maximum number of connections. */
  poolSize: number;
  /** Milliseconds after which PostgreSQL cancels a statement; 0: never. */
  statementTimeoutMs: number;
}

/** Defaults (for subcommands): no limits except `acquireTimeoutMs`, 10,000 ms. */
export interface DatabaseLimits {
  /** Milliseconds that a statement waits for a lock; 0: no limit. */
  lockTimeoutMs?: number;
  /** Milliseconds after which a transaction is rolled back, and its connection closed; 0: never. */
  transactionTimeoutMs?: number;
  /** Milliseconds that a statement waits for a connection, and at most that a connection takes to open. */
  acquireTimeoutMs?: number;
  /** Maximum number of statements that wait for a connection. Beyond it, one of the client with the most is rejected (SERVICE_UNAVAILABLE). */
  maxWaiting?: number;
}

/** The server ends a transaction whose process has stopped, or waits for something other than the database. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = fixedLimit({
  area: 'Database',
  about: 'Time without a statement after which PostgreSQL ends the connection of an open transaction of a request.',
  value: 10_000,
  unit: 'ms',
  error: 'SERVICE_UNAVAILABLE',
});

export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';

/** Number of uses after which a connection is replaced, since the memory of a PostgreSQL backend only grows. */
const MAX_USES = 50_000;

// pg returns int8 as text by default, since it may exceed 2^53. Ids here come from a sequence and counts from rows: neither exceeds it.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Connects on first use. `url` is a `postgres://` URL. */
export function openDatabase(
  url: string,
  {
    models = [],
    poolSize,
    statementTimeoutMs,
    lockTimeoutMs = 0,
    transactionTimeoutMs = 0,
    acquireTimeoutMs = 10_000,
    maxWaiting = Number.POSITIVE_INFINITY,
  }: DatabaseOptions,
): Database {
  const clock = new DatabaseClock();
  const config: BoundedConfig = {
    connectionString: url,
    application_name: 'daybook',
    settings: {
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      ...(transactionTimeoutMs > 0 && { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS }),
      // Prepared statements here always use an index, so a generic plan fits: a custom plan for each call would cost more than execution.
      plan_cache_mode: 'force_generic_plan',
      jit: 'off',
    },
    // Since PostgreSQL 17. Before, a statement that runs when the client closes its connection ends with its own timeout.
    ...(transactionTimeoutMs > 0 && { optionalSettings: { transaction_timeout: transactionTimeoutMs } }),
    onTime: (serverMs) => clock.set(serverMs),
  };
  class Client extends ObservedClient {
    constructor({ types }: pg.ClientConfig) {
      super({ ...config, ...(types && { types }) });
    }
  }
  // The client has its own configuration: Sequelize reads the name of the database and the options from the URL of one host.
  const [firstUrl = url] = hostUrls(url);
  const sequelize = new Sequelize(firstUrl, {
    dialect: 'postgres',
    dialectModule: { ...pg, Client },
    ...WITHOUT_SESSION,
    pool: { max: poolSize, acquire: acquireTimeoutMs, idle: ms('1m'), maxUses: MAX_USES },
    define: { underscored: true, timestamps: true },
    models,
    logging: false,
  });
  const pool = new SharedPool(sequelize, {
    poolSize,
    maxWaiting,
    maxWaitMs: acquireTimeoutMs,
    transactionTimeoutMs,
  });
  const databaseFor = (client: DatabaseClient): Database => {
    // The statements of the service are of many requests.
    const statements = client === SERVICE_CLIENT ? null : new RequestStatements();
    const query: Database['query'] = (prepared, values, transaction) =>
      transaction
        ? run(clientOf<ObservedClient>(transaction), prepared, values)
        : withRetries(() => pool.query<never>(client, statements, prepared, values)).catch(throwMapped);
    return {
      url,
      sequelize,
      query,
      change: (prepared, values, transaction) =>
        transaction
          ? query(prepared, values, transaction)
          : pool.shares.write(client, false, () => query(prepared, values)),
      inTransaction: (work, { isLarge = false } = {}) =>
        pool.shares.write(client, isLarge, () => withRetries(() => pool.transaction(client, work))).catch(throwMapped),
      beginSnapshot: () => pool.beginSnapshot(client),
      forClient: databaseFor,
      now: () => service.now(),
      close,
      poolState: state,
      queues,
    };
  };
  const close = () => sequelize.close();
  const state = () => pool.state;
  const queues = () => [pool.shares.writes, pool.shares.largeWrites];
  const service: Database = { ...databaseFor(SERVICE_CLIENT), now: () => clock.now() };
  return service;
}

/** Options with which Sequelize sets no parameters of the session: the client does. */
const WITHOUT_SESSION = {
  standardConformingStrings: false,
  keepDefaultTimezone: true,
  dialectOptions: { clientMinMessages: 'ignore' },
};

/** Time without attempts to open more connections after the server has refused one. */
const REFUSAL_PAUSE_MS = 1_000;

/** The connections of Sequelize's pool, which clients share. */
class SharedPool {
  readonly shares: ConnectionShares;
  readonly #sequelize: Sequelize;
  readonly #manager: ConnectionManager<ObservedClient>;
  readonly #options: ShareOptions & { readonly transactionTimeoutMs: number };
  readonly #starts = new FairStarts();

  constructor(sequelize: Sequelize, options: ShareOptions & { readonly transactionTimeoutMs: number }) {
    this.#sequelize = sequelize;
    this.#manager = managerOf(sequelize);
    this.#options = options;
    this.shares = new ConnectionShares(options);
  }

  get state(): PoolState {
    const { maxSize, using, available } = this.#manager.pool;
    return { max: maxSize, inUse: using, idle: available, waiting: this.shares.connections.state.waiting };
  }

  async query<Row>(
    client: DatabaseClient,
    statements: RequestStatements | null,
    statement: PreparedText,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const started = statements?.start();
    if (started) await started;
    try {
      const { opened: connection, release } = await this.#open(client, () => this.#connect());
      try {
        return await run(connection, statement, values);
      } finally {
        this.#return(connection);
        release();
      }
    } finally {
      statements?.end();
    }
  }

  async transaction<Result>(
    client: DatabaseClient,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const { opened: result, release } = await this.#open(client, async () => {
      let isStarted = false;
      try {
        return await this.#sequelize.transaction((transaction) => {
          isStarted = true;
          return withinTime(clientOf<ObservedClient>(transaction), this.#options.transactionTimeoutMs, () =>
            work(transaction),
          );
        });
      } catch (error) {
        throw isStarted || !isRefusal(error) ? error : new RefusedConnection(error);
      }
    });
    release();
    return result;
  }

  async beginSnapshot(client: DatabaseClient): Promise<SnapshotTransaction> {
    const { transactionTimeoutMs: timeoutMs } = this.#options;
    const { opened: connection, release } = await this.#open(client, () => this.#connect());
    const timer =
      timeoutMs > 0 ? setTimeout(() => connection.abort('The snapshot takes too long'), timeoutMs) : undefined;
    const send = async (text: string) => {
      try {
        await connection.query({ text });
      } catch (error) {
        clearTimeout(timer);
        // The connection leaves the pool.
        connection.abort('The snapshot has failed');
        release();
        throw error;
      }
    };
    const end = async () => {
      await send('commit');
      clearTimeout(timer);
      this.#return(connection);
      release();
    };
    await send(BEGIN_SNAPSHOT);
    return {
      query: async (statement, values) => {
        await this.#mayStart(client);
        return run(connection, statement, values);
      },
      end: () => end().catch(() => {}),
    };
  }

  /** Waits until the client may send a statement. A client with its own number of connections is the service itself, or one of its limits. */
  #mayStart(client: DatabaseClient): Promise<void> | undefined {
    return client.maxConnections === undefined ? this.#starts.start(client) : undefined;
  }

  async #connect(): Promise<ObservedClient> {
    try {
      return await this.#manager.getConnection({ type: 'SELECT' });
    } catch (error) {
      throw isRefusal(error) ? new RefusedConnection(error) : error;
    }
  }

  #return(connection: ObservedClient): void {
    // A broken connection has already left the pool.
    if (!isInvalid(connection)) this.#manager.releaseConnection(connection);
  }

  /**
   * Runs `open` with a permit for one connection. If the server refuses another connection, it waits for one of the open ones.
   * @returns its result, with a function that releases the permit
   */
  async #open<Opened>(
    client: DatabaseClient,
    open: () => Promise<Opened>,
  ): Promise<{ opened: Opened; release: Release }> {
    const { key, network, maxConnections: permitsOfKey } = client;
    let endMs = 0;
    for (;;) {
      const permit = this.shares.connections.acquire({ key, network, permitsOfKey });
      const release = permit instanceof Promise ? await permit : permit;
      const start = this.#mayStart(client);
      if (start) await start;
      try {
        return { opened: await open(), release };
      } catch (error) {
        release();
        if (!(error instanceof RefusedConnection)) throw error;
        endMs ||= performance.now() + this.#options.maxWaitMs;
        if (performance.now() >= endMs || !this.#useOpenConnections()) throw error.cause;
      }
    }
  }

  /** Opens no more connections for a while. @returns false if there are none */
  #useOpenConnections(): boolean {
    const { size } = this.#manager.pool;
    if (size === 0) return false;
    this.shares.connections.resize(size);
    setTimeout(() => this.shares.connections.resize(this.#options.poolSize), REFUSAL_PAUSE_MS).unref();
    return true;
  }
}

/** The server accepted no further connection (SQLSTATE 53300), or cannot be reached. */
class RefusedConnection extends Error {
  constructor(cause: unknown) {
    super('The server refused a connection', { cause });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ConnectionError && !(error instanceof ConnectionAcquireTimeoutError);
}

/** Closes the connection if `work` takes too long, also where it waits for something other than the database: no lock remains. */
async function withinTime<Result>(client: ObservedClient, timeoutMs: number, work: () => Promise<Result>) {
  if (timeoutMs === 0) return work();
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(client.abort('The transaction takes too long')), timeoutMs);
  });
  try {
    return await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

async function run<Row>(client: ObservedClient, statement: PreparedText, values: readonly unknown[]): Promise<Row[]> {
  const { name, isComposed, timeoutMs } = statement;
  if (isComposed) await evictLeastRecentlyUsed(name, client);
  if (timeoutMs !== undefined) return runWithin(timeoutMs, client, statement, values);
  const { rows } = await client.query(queryOf(statement), [...values]);
  return rowsOf(statement, rows);
}

const queries = new WeakMap<PreparedText, object>();

/** The statement with inherited properties only: pg copies own ones with their descriptors, which takes longer than to send the query. */
function queryOf(statement: PreparedText): { name: string; text: string } {
  const query = queries.get(statement) ?? Object.create({ name: statement.name, text: statement.text });
  queries.set(statement, query);
  return query;
}

async function runWithin<Row>(
  timeoutMs: number,
  client: ObservedClient,
  { name, text }: PreparedText,
  values: readonly unknown[],
): Promise<Row[]> {
  await client.query(`SET statement_timeout = ${timeoutMs}`);
  try {
    const { rows } = await client.query({ name, text, values });
    return rows;
  } finally {
    // A transaction that has failed restores it when it ends.
    if (client.getTransactionStatus() !== 'E')
      await client.query(`SET statement_timeout = ${client.statementTimeoutMs}`);
  }
}

/** SQLSTATEs: deadlock_detected, serialization_failure. PostgreSQL rolled back this transaction so that another could continue. */
const RETRIABLE = new Set(['40P01', '40001']);
const ATTEMPTS = 4;

async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRIABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/** @returns the five-character SQLSTATE of a database error (or the `code` of another error), wrapped by Sequelize, an AppError, or not. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof AppError) return error.cause == null ? undefined : sqlState(error.cause);
  const { code, parent } = error as { code?: unknown; parent?: unknown };
  if (typeof code === 'string') return code;
  return parent === undefined ? undefined : sqlState(parent);
}
