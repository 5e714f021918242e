/** The PostgreSQL connection pool, with transactions and prepared statements. */
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import pg from 'pg';
import { ConnectionAcquireTimeoutError, ConnectionError, type Transaction as SequelizeTransaction } from 'sequelize';
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
import { type ConnectionManager, clientOf, isInvalid, leave, managerOf } from './internals.js';
import { ObservedClient } from './observed-client.js';
import { evictLeastRecentlyUsed } from './prepared-statement-limit.js';
import { type PreparedText, rowsOf, type Statement } from './statement.js';

export interface Database {
  /** The `postgres://` URL for connections outside the pool: for LISTEN, locks, migrations and jobs. */
  readonly url: string;
  readonly sequelize: Sequelize;
  /** Whether all statements run in one transaction. */
  readonly isTransaction: boolean;
  /**
   * Runs a prepared statement on a pooled connection, retrying it after a deadlock, or in the transaction.
   * @throws AppError for constraint violations (constraint-violation.ts), but within a transaction only at its end
   */
  query<Parameters extends readonly unknown[], Row>(
    statement: Statement<Parameters, Row>,
    values: NoInfer<Parameters>,
  ): Promise<Row[]>;
  /** Like `query`, for one statement that is a complete change: `src/services/idempotency` adds it to the transaction of the request. */
  change: Database['query'];
  /**
   * Runs `work` in a transaction; retries after a deadlock or serialization failure, so `work` must have no external side effects. In a
   * transaction, `work` joins it.
   * @throws AppError for constraint violations (constraint-violation.ts)
   */
  transaction<Result>(work: (db: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /** Like `transaction`, but the transaction stays open after `work`, until the caller ends it. Not in a transaction. */
  begin<Result>(
    work: (db: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<OpenTransaction & { readonly result: Result }>;
  /** Begins a transaction that only reads, in one state of the data (`Snapshot`). */
  beginSnapshot(): Promise<SnapshotTransaction>;
  /** Of a database whose statements without a transaction run in a snapshot. */
  readonly snapshot?: {
    /** Delays the begin until `wait` is over: no connection is held meanwhile. Call it before the first statement. */
    beginAfter<Result>(wait: Promise<Result>): Promise<Result>;
  };
  /** Whom its statements and transactions count for. */
  readonly client: DatabaseClient;
  /** The same database for one request, or for one kind of work: its statements and transactions count for `client`. */
  forClient(client: DatabaseClient): Database;
  /** The clock of the database server, which all processes share, in milliseconds since 1970. */
  now(): number;
  close(): Promise<void>;
  poolState(): PoolState;
  /** The queues of transactions. */
  queues(): readonly { readonly state: SemaphoreState }[];
}

/** The database within a transaction. Its statements run one after another. */
export interface Transaction extends Database {
  readonly isTransaction: true;
  /**
   * Runs the last statement, and commits in the same round trip: the locks that it takes are held for the commit only. Further statements fail. In a
   * transaction that was joined, or that its caller ends, it is like `query`.
   */
  last: Database['query'];
}

/** The first call of `commit` or `rollBack` ends it, and further ones have no effect. */
export interface OpenTransaction {
  readonly db: Transaction;
  /** @throws AppError for constraint violations (constraint-violation.ts) */
  commit(): Promise<void>;
  rollBack(): Promise<void>;
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

const BEGIN_SNAPSHOT = 'begin isolation level repeatable read read only';

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
    const query: Database['query'] = (prepared, values) =>
      withRetries(() => pool.query<never>(client, statements, prepared, values)).catch(throwMapped);
    const database: Database = {
      url,
      sequelize,
      isTransaction: false,
      query,
      change: async (prepared, values) => {
        const release = await pool.shares.startWrite(client);
        return query(prepared, values).finally(release);
      },
      transaction: async (work, options) => {
        const release = await pool.shares.startWrite(client, options);
        const attempt = async () => {
          const { open, result } = await pool.begin(client, database, (_db, own) => work(own));
          await open.commit();
          return result;
        };
        return withRetries(attempt).catch(throwMapped).finally(release);
      },
      begin: async (work, options) => {
        const release = await pool.shares.startWrite(client, options);
        try {
          const { open, result } = await withRetries(() => pool.begin(client, database, work));
          const commit = () => open.commit().catch(throwMapped).finally(release);
          return { db: open.db, result, commit, rollBack: () => open.rollBack().finally(release) };
        } catch (error) {
          release();
          return throwMapped(error);
        }
      },
      beginSnapshot: () => pool.beginSnapshot(client),
      client,
      forClient: databaseFor,
      now: () => service.now(),
      close,
      poolState: state,
      queues,
    };
    return database;
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
  // The oldest that is supported. Without it, Sequelize opens a connection only to compare the version, and closes it.
  databaseVersion: '14.0.0',
};

/** Time without attempts to open more connections after the server has refused one. */
const REFUSAL_PAUSE_MS = 1_000;

/** Time until a request that was refused a connection tries again. Without it, two requests would keep a processor busy while no server runs. */
const RETRY_PAUSE_MS = 50;

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

  /**
   * Begins a transaction, which is rolled back if `work` fails; otherwise the caller ends it.
   * @param outside the database of the client without a transaction
   */
  async begin<Result>(
    client: DatabaseClient,
    outside: Database,
    work: (db: Transaction, own: Transaction) => Promise<Result>,
  ): Promise<{ open: OpenTransaction; result: Result }> {
    const { opened, release } = await this.#open(client, () => this.#sequelize.transaction());
    const open = new PooledTransaction(opened, outside, this.#options.transactionTimeoutMs, release);
    try {
      return { open, result: await open.run(work) };
    } catch (error) {
      await open.rollBack();
      throw error;
    }
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

  #connect(): Promise<ObservedClient> {
    return this.#manager.getConnection({ type: 'SELECT' });
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
        if (!isRefusal(error)) throw error;
        endMs ||= performance.now() + this.#options.maxWaitMs;
        if (performance.now() >= endMs || !this.#useOpenConnections()) throw error;
        await delay(RETRY_PAUSE_MS);
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

/** Whether the server accepted no further connection (SQLSTATE 53300), or cannot be reached. */
function isRefusal(error: unknown): boolean {
  return error instanceof ConnectionError && !(error instanceof ConnectionAcquireTimeoutError);
}

class PooledTransaction implements OpenTransaction {
  readonly db: Transaction;
  /** The same, which `last` commits. */
  readonly #own: Transaction;
  readonly #transaction: SequelizeTransaction;
  readonly #release: Release;
  readonly #expired: Promise<never>;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | null = null;
  #isOpen = true;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param timeoutMs closes the connection if the transaction takes longer, also where it waits for something other than the database: no lock remains
   * @param release is called when it has ended
   */
  constructor(transaction: SequelizeTransaction, outside: Database, timeoutMs: number, release: Release) {
    const connection = clientOf<ObservedClient>(transaction);
    this.#transaction = transaction;
    this.#release = release;
    this.#expired = new Promise((_resolve, reject) => {
      const expire = () => {
        this.#failure = connection.abort('The transaction takes too long');
        reject(this.#failure);
      };
      if (timeoutMs > 0) this.#timer = setTimeout(expire, timeoutMs);
    });
    this.#expired.catch(() => {});
    const query: Database['query'] = (statement, values) => this.#query(connection, statement, values);
    this.db = {
      ...outside,
      isTransaction: true,
      query,
      change: query,
      last: query,
      transaction: (work) => work(this.db),
      begin: () => Promise.reject(new Error('A transaction is open')),
    };
    this.#own = { ...this.db, last: (statement, values) => this.#queryAndCommit(connection, statement, values) };
  }

  run<Result>(work: (db: Transaction, own: Transaction) => Promise<Result>): Promise<Result> {
    return Promise.race([work(this.db, this.#own), this.#expired]);
  }

  async commit(): Promise<void> {
    if (this.#failure) {
      await this.rollBack();
      throw this.#failure;
    }
    await this.#end('commit');
  }

  async rollBack(): Promise<void> {
    await this.#end('rollback').catch(() => {});
  }

  /** A statement that fails leaves the transaction open, for `rollBack`. */
  async #queryAndCommit<Row>(
    connection: ObservedClient,
    statement: PreparedText,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const rows = await this.#query<Row>(connection, statement, values, true);
    this.#isOpen = false;
    clearTimeout(this.#timer);
    leave(this.#transaction);
    this.#release();
    return rows;
  }

  #query<Row>(
    connection: ObservedClient,
    statement: PreparedText,
    values: readonly unknown[],
    commits = false,
  ): Promise<Row[]> {
    const rows = this.#last.then(() => {
      // A statement whose result is no longer used, since another one has failed.
      if (!this.#isOpen) throw new Error('The transaction has ended');
      return run<Row>(connection, statement, values, commits);
    });
    this.#last = rows.catch(() => {});
    return rows;
  }

  async #end(action: 'commit' | 'rollback'): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    try {
      await this.#transaction[action]();
    } finally {
      this.#release();
    }
  }
}

async function run<Row>(
  client: ObservedClient,
  statement: PreparedText,
  values: readonly unknown[],
  commits = false,
): Promise<Row[]> {
  const { name, isComposed, timeoutMs } = statement;
  if (isComposed) await evictLeastRecentlyUsed(name, client);
  if (timeoutMs !== undefined && !commits) return runWithin(timeoutMs, client, statement, values);
  return rowsOf(statement, await client.execute(statement, values, commits));
}

async function runWithin<Row>(
  timeoutMs: number,
  client: ObservedClient,
  statement: PreparedText,
  values: readonly unknown[],
): Promise<Row[]> {
  await client.query(`SET statement_timeout = ${timeoutMs}`);
  try {
    return rowsOf(statement, await client.execute(statement, values));
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
