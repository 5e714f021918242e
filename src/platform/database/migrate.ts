/** Migrates a database to the newest schema, while processes of the previous version use it. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { QueryTypes, type Sequelize } from 'sequelize';
import { migrations } from '../../../migrations/index.js';
import { closeConnection, openConnection } from './dedicated-connection.js';
import { MIGRATION_LOCK } from './locks.js';
import type { Migration } from './migration.js';
import type { Database } from './pool.js';
import { statement } from './statement.js';
import { type LockOptions, withTableLocks } from './table-locks.js';

/**
 * Applies the pending migrations, each in a transaction of its own, so that tables are locked briefly. If one fails, those before it
 * remain applied, and the next call continues with it.
 *
 * @param options `steps`: those of this build, or of a test; `signal` ends the call before the next migration
 * @returns the names of the migrations that this call applied
 */
export async function migrate(
  url: string,
  options: LockOptions & { steps?: readonly Migration[] } = {},
): Promise<string[]> {
  const { steps = migrations } = options;
  return withMigrationLock(url, MIGRATION_LOCK, async (client) => {
    await client.query(MIGRATIONS_TABLE);
    const { rows } = await client.query<AppliedRow>(ROWS);
    const applied: string[] = [];
    for (const [index, state] of toStates(rows, steps).entries()) {
      if (state.appliedAt !== null) continue;
      options.signal?.throwIfAborted();
      const step = steps[index] as Migration;
      if (!state.isBuildingIndexes) await change(client, step, options);
      await buildIndexes(client, step);
      applied.push(step.name);
    }
    return applied;
  });
}

/** The table of applied migrations, which is not created by a migration. While indexes of one are built, its `applied_at` is infinity. */
export const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())';

/**
 * Runs `work` on a connection of its own, while no other process holds the advisory lock. Polls for the lock: a waiting statement
 * would have a snapshot, for whose end `create index concurrently` of the other process would wait.
 */
export async function withMigrationLock<Result>(
  url: string,
  key: number,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openConnection({ connectionString: url, application_name: 'daybook-migrate' });
  try {
    while (!(await client.query('select pg_try_advisory_lock($1) as locked', [key])).rows[0].locked) {
      await delay(LOCK_POLL_INTERVAL_MS);
    }
    const result = await work(client);
    await client.end();
    return result;
  } catch (error) {
    closeConnection(client);
    throw error;
  }
}

const LOCK_POLL_INTERVAL_MS = 100;

async function change(client: pg.Client, migration: Migration, options: LockOptions): Promise<void> {
  const { name, up, indexes = [] } = migration;
  const appliedAt = indexes.length > 0 ? "'infinity'" : 'now()';
  const apply = async () => {
    for (const sql of up) await client.query(sql);
    await client.query(`insert into migrations (name, applied_at) values ($1, ${appliedAt})`, [name]);
  };
  await withTableLocks(client, migration, apply, options);
}

const CREATE_INDEX = /^create (unique )?index (\w+) on /;

/** An index whose build was interrupted exists, but is invalid. */
async function buildIndexes(client: pg.Client, { name, indexes = [] }: Migration): Promise<void> {
  for (const sql of indexes) {
    const [, , index] = CREATE_INDEX.exec(sql) ?? [];
    const { rows } = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index],
    );
    if (rows[0]?.valid) continue;
    if (rows[0]) await client.query(`drop index concurrently ${index}`);
    await client.query(sql.replace(CREATE_INDEX, 'create $1index concurrently $2 on '));
  }
  if (indexes.length > 0) await client.query('update migrations set applied_at = now() where name = $1', [name]);
}

const STATE = statement<[], { applied: string[]; isReadOnly: boolean }>(
  'migrations_and_mode',
  `select array(select name from migrations where isfinite(applied_at))::text[] as applied,
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
  /** Whether only its indexes are missing. */
  isBuildingIndexes: boolean;
}

interface AppliedRow {
  name: string;
  appliedAt: Date | null;
}

const ROWS = `select name, nullif(applied_at, 'infinity') as "appliedAt" from migrations`;

/** Every migration of this build, in order. Read-only; it also works on an empty database. */
export async function migrationState(sequelize: Sequelize): Promise<MigrationState[]> {
  const read = <Row extends object>(sql: string) => sequelize.query<Row>(sql, { type: QueryTypes.SELECT });
  const [there] = await read<{ found: boolean }>("select to_regclass('migrations') is not null as found");
  const rows = there?.found ? await read<AppliedRow>(ROWS) : [];
  return toStates(rows);
}

/** @returns those in the database that a newer version of Daybook has applied */
export async function unknownMigrations({ query }: Database): Promise<string[]> {
  const { names = [] } = (await query(NAMES, []))[0] ?? {};
  return withoutKnown(names);
}

const NAMES = statement<[], { names: string[] }>(
  'names_of_migrations',
  'select array(select name from migrations order by name)::text[] as names',
);

export function withoutKnown(names: readonly string[]): string[] {
  return names.filter((name) => migrations.every((migration) => migration.name !== name));
}

/** @param subject the beginning of the sentence @param names of migrations that this version does not know */
export function describeUnknown(subject: string, names: readonly string[]): string {
  return `${subject} has migrations unknown to this version of Daybook: ${names.join(', ')}.`;
}

export const RUN_NEWER_VERSION = 'Run the newer version that applied them, or restore an older backup.';

function toStates(rows: AppliedRow[], steps = migrations): MigrationState[] {
  const applied = new Map(rows.map(({ name, appliedAt }) => [name, appliedAt]));
  return steps.map(({ name }) => {
    const appliedAt = applied.get(name) ?? null;
    return { name, appliedAt, isBuildingIndexes: appliedAt === null && applied.has(name) };
  });
}
