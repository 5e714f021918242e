/** The connection pool, transactions and prepared statements: the one way to PostgreSQL. */
import pg from 'pg';
import type { Transaction } from 'sequelize';
import { Sequelize } from 'sequelize-typescript';
import type { PoolState } from '../metrics/pool.js';
import { models } from './index.js';
import { ObservedClient } from './observed-client.js';
import type { Statement } from './statement.js';

export interface Database {
  /** The `postgres://` address. */
  readonly url: string;
  readonly sequelize: Sequelize;
  /** Runs a prepared statement on a pooled connection, or on the transaction's. */
  query<Row>(statement: Statement<Row>, values: unknown[], transaction?: Transaction): Promise<Row[]>;
  /** Runs `work` in one transaction; after a deadlock or serialisation failure it is run again, so it must not act outside. */
  inTransaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
  poolState(): PoolState;
}

export interface DatabaseOptions {
  /** Connections held at most. */
  poolSize: number;
  /** Milliseconds after which PostgreSQL cancels a statement. */
  statementTimeout: number;
}

// int8 comes as text by default, since it may pass 2^53. Ids here come from a sequence and counts from rows: neither does.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Connects on first use. `url` is a `postgres://` address. */
export function openDatabase(url: string, { poolSize, statementTimeout }: DatabaseOptions): Database {
  const sequelize = new Sequelize(url, {
    dialect: 'postgres',
    dialectModule: { ...pg, Client: ObservedClient },
    dialectOptions: {
      application_name: 'daybook',
      statement_timeout: statementTimeout,
      // A prepared statement here always wants its index: planning it again for each call would cost more than running it.
      options: '-c plan_cache_mode=force_generic_plan -c jit=off',
    },
    pool: { max: poolSize, acquire: 10_000, idle: 60_000 },
    define: { underscored: true, timestamps: true },
    models,
    logging: false,
  });
  return {
    url,
    sequelize,
    query: (prepared, values, transaction) => query(sequelize, prepared, values, transaction),
    inTransaction: (work) => inTransaction(sequelize, work),
    close: () => sequelize.close(),
    poolState: () => poolState(sequelize),
  };
}

type PooledClient = pg.Client & { _invalid?: boolean };

interface Pool {
  getConnection(options: { type: 'SELECT' | 'INSERT' }): Promise<PooledClient>;
  releaseConnection(client: PooledClient): void;
  pool: { maxSize: number; using: number; available: number; waiting: number };
}

function poolState(sequelize: Sequelize): PoolState {
  const { maxSize, using, available, waiting } = poolOf(sequelize).pool;
  return { max: maxSize, inUse: using, idle: available, waiting };
}

/** Sequelize documents getConnection as the way to its pool; its types do not know it. */
function poolOf(sequelize: Sequelize): Pool {
  return sequelize.connectionManager as unknown as Pool;
}

async function query<Row>(
  sequelize: Sequelize,
  { name, text }: Statement<Row>,
  values: unknown[],
  transaction?: Transaction,
): Promise<Row[]> {
  if (transaction) {
    const { rows } = await connectionOf(transaction).query({ name, text, values });
    return rows;
  }
  const manager = poolOf(sequelize);
  const client = await manager.getConnection({ type: 'SELECT' });
  try {
    const { rows } = await client.query({ name, text, values });
    return rows;
  } finally {
    // A broken connection has already left the pool.
    if (!client._invalid) manager.releaseConnection(client);
  }
}

function connectionOf(transaction: Transaction): pg.Client {
  return (transaction as Transaction & { connection: pg.Client }).connection;
}

/** Deadlock detected, serialisation failure: PostgreSQL rolled one side back so that the other could go on. */
const RETRIABLE = new Set(['40P01', '40001']);
const ATTEMPTS = 4;

async function inTransaction<Result>(
  sequelize: Sequelize,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sequelize.transaction(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRIABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/** @returns the five-character SQLSTATE of a database error, wrapped by Sequelize or not. */
export function sqlState(error: unknown): string | undefined {
  const { code, parent } = error as { code?: unknown; parent?: unknown };
  if (typeof code === 'string') return code;
  return parent === undefined ? undefined : sqlState(parent);
}
