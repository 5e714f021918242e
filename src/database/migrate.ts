/** Migrates a database to the newest schema, in one transaction under an advisory lock. */
import { QueryTypes, type Sequelize } from 'sequelize';
import { migrations } from '../../migrations/index.js';
import { MIGRATION_LOCK } from './locks.js';

/**
 * Applies all pending migrations, or none if one fails. An advisory lock serializes processes that start concurrently.
 *
 * @returns the names of the migrations that this call applied.
 */
export async function migrate(sequelize: Sequelize): Promise<string[]> {
  return sequelize.transaction(async (transaction) => {
    // Building an index over many rows, or waiting for another process that builds it, may exceed the timeouts for requests.
    await sequelize.query('set local statement_timeout = 0; set local lock_timeout = 0', { transaction });
    await sequelize.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, { transaction });
    await sequelize.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
      { transaction },
    );
    const executed = await sequelize.query<{ name: string }>('select name from migrations', {
      type: QueryTypes.SELECT,
      transaction,
    });
    const names = new Set(executed.map(({ name }) => name));
    const pending = migrations.filter(({ name }) => !names.has(name));
    for (const { name, up } of pending) {
      for (const sql of up) await sequelize.query(sql, { transaction });
      await sequelize.query('insert into migrations (name) values (:name)', { replacements: { name }, transaction });
    }
    return pending.map(({ name }) => name);
  });
}

/** @returns whether every migration of this build has been applied. */
export async function isMigrated(sequelize: Sequelize): Promise<boolean> {
  const rows = await sequelize.query<{ name: string }>('select name from migrations', { type: QueryTypes.SELECT });
  const applied = new Set(rows.map(({ name }) => name));
  return migrations.every(({ name }) => applied.has(name));
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
