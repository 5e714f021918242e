/** Migrates a database to the newest schema, in one transaction under an advisory lock. */
import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { migrations } from '../../migrations/index.js';
import { MIGRATION_LOCK } from './locks.js';
import { type Database, openDatabase } from './pool.js';
import { statement } from './statement.js';

/**
 * Applies all pending migrations, or none if one fails. An advisory lock serializes processes that start concurrently.
 *
 * @returns the names of the migrations that this call applied.
 */
export async function migrate(url: string): Promise<string[]> {
  // Building an index over many rows, or waiting for another process that builds it, may exceed the timeouts for requests.
  const { sequelize, close } = openDatabase(url, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await sequelize.transaction((transaction) => applyPending(sequelize, transaction));
  } finally {
    await close();
  }
}

/** The table of applied migrations, which is not created by a migration. */
export const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())';

async function applyPending(sequelize: Sequelize, transaction: Transaction): Promise<string[]> {
  await sequelize.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, { transaction });
  await sequelize.query(MIGRATIONS_TABLE, { transaction });
  const applied = await sequelize.query<{ name: string }>('select name from migrations', {
    type: QueryTypes.SELECT,
    transaction,
  });
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !names.has(name));
  for (const { name, up } of pending) {
    for (const sql of up) await sequelize.query(sql, { transaction });
    await sequelize.query('insert into migrations (name) values (:name)', { replacements: { name }, transaction });
  }
  return pending.map(({ name }) => name);
}

const STATE = statement<[], { applied: string[]; isReadOnly: boolean }>(
  'migrations_and_mode',
  `select array(select name from migrations)::text[] as applied,
     pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
);

/** Whether every migration of this build has been applied, and whether the server accepts no writes, such as a standby. */
export async function databaseState({ query }: Database): Promise<{ isMigrated: boolean; isReadOnly: boolean }> {
  const [state] = await query(STATE, []);
  const applied = new Set(state?.applied);
  return { isMigrated: migrations.every(({ name }) => applied.has(name)), isReadOnly: state?.isReadOnly ?? true };
}

export interface MigrationState {
  name: string;
  /** Null if the migration is pending. */
  appliedAt: Date | null;
}

/** Every migration of this build, in order. Read-only; it also works on an empty database. */
export async function migrationState(sequelize: Sequelize): Promise<MigrationState[]> {
  const [there] = await sequelize.query<{ found: boolean }>("select to_regclass('migrations') is not null as found", {
    type: QueryTypes.SELECT,
  });
  const rows = there?.found
    ? await sequelize.query<{ name: string; appliedAt: Date }>(
        'select name, applied_at as "appliedAt" from migrations',
        {
          type: QueryTypes.SELECT,
        },
      )
    : [];
  const applied = new Map(rows.map(({ name, appliedAt }) => [name, appliedAt]));
  return migrations.map(({ name }) => ({ name, appliedAt: applied.get(name) ?? null }));
}
