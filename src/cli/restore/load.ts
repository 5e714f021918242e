/** Loads the rows, sequences and jobs of a backup into a database, in one transaction. */
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrations } from '../../../migrations/index.js';
import { RENEW_GENERATION } from '../../models/change.js';
import { DISABLE_RESTORED } from '../../models/webhook/webhook.js';
import {
  type CatalogTable,
  checkedReferencesOf,
  type ForeignKey,
  foreignKeysOf,
  type Index,
  indexesOf,
  sequencesOf,
  tablesOf,
} from '../../platform/database/catalog.js';
import { MIGRATION_LOCK } from '../../platform/database/locks.js';
import { MIGRATIONS_TABLE } from '../../platform/database/migrate.js';
import { migrateJobsWithin } from '../../platform/database/migrate-queue.js';
import { statementsOf } from '../../platform/database/migration.js';
import { JOB_COLUMNS } from '../../platform/database/queue-tables.js';
import { FileError, OperatorError } from '../../platform/errors.js';
import type { Header, Manifest } from '../backup/archive.js';
import type { ArchiveEntry } from '../backup/read-archive.js';
import { COPY_SETTINGS } from '../backup/snapshot.js';
import { clearUnused } from './unused.js';

const name = pg.escapeIdentifier;

/**
 * The transaction of a restore. Triggers do not run while rows are copied, since the rows have the results of their triggers, and
 * foreign keys are created after the rows, so that their order does not matter. So are indexes, which takes less time than
 * adding every row to them. None of this requires a superuser.
 */
export class DatabaseLoad {
  readonly #client: pg.ClientBase;
  readonly #header: Header;
  #tables = new Map<string, CatalogTable>();
  #indexes: Index[] = [];
  #foreignKeys: ForeignKey[] = [];
  /** Tables of the archive that no migration creates: the database also had tables of another program. */
  readonly skipped: string[] = [];

  constructor(client: pg.ClientBase, header: Header) {
    this.#client = client;
    this.#header = header;
  }

  /** Creates the schema of the backup. @throws OperatorError if the database is in use, FileError if the tables differ */
  async begin(): Promise<void> {
    const client = this.#client;
    await client.query('begin');
    await client.query(COPY_SETTINGS);
    await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await clearUnused(client);
    const foreign = new Set((await tablesOf(client)).map((table) => table.name));
    await client.query(MIGRATIONS_TABLE);
    for (const migration of this.#applied(true)) {
      for (const sql of statementsOf(migration)) await client.query(sql);
    }
    this.#foreignKeys = (await foreignKeysOf(client)).filter(({ table }) => !foreign.has(table));
    for (const key of this.#foreignKeys)
      await client.query(`alter table ${name(key.table)} drop constraint ${name(key.name)}`);
    this.#indexes = (await indexesOf(client)).filter(({ table }) => !foreign.has(table));
    for (const index of this.#indexes) await client.query(`drop index ${name(index.name)}`);
    await this.#matchTables(foreign);
    // Migrations insert rows, which are also in the archive.
    await client.query(`truncate ${[...this.#tables.keys()].map(name).join(', ')}`);
    for (const table of this.#tables.keys()) await client.query(`alter table ${name(table)} disable trigger user`);
    await client.query(`create temp table restored_jobs (${JOB_COLUMNS}) on commit drop`);
  }

  async add({ kind, subject, content }: ArchiveEntry): Promise<void> {
    const columns = this.#tables.get(subject)?.columns.map(name).join(', ');
    // FREEZE: the rows need no later vacuum. The table was created in this transaction, so no other one can see them before.
    if (kind === 'jobs') await pipeline(content, this.#client.query(copyFrom('copy restored_jobs from stdin')));
    else if (columns !== undefined)
      await pipeline(
        content,
        this.#client.query(copyFrom(`copy ${name(subject)} (${columns}) from stdin with (freeze)`)),
      );
  }

  /** Applies the migrations that are newer than the backup. @returns their names */
  async finish({ sequences }: Manifest): Promise<string[]> {
    const client = this.#client;
    const existing = new Set(await sequencesOf(client));
    for (const { name: sequence, value, isCalled } of sequences) {
      if (existing.has(sequence))
        await client.query('select setval($1::regclass, $2, $3)', [name(sequence), value, isCalled]);
    }
    for (const table of this.#tables.keys()) await client.query(`alter table ${name(table)} enable trigger user`);
    for (const { definition, statistics } of this.#indexes) {
      for (const sql of [definition, ...statistics]) await client.query(sql);
    }
    for (const { table, name: key, definition } of this.#foreignKeys) {
      await client.query(`alter table ${name(table)} add constraint ${name(key)} ${definition}`);
    }
    await this.#checkReferences();
    const newer = this.#applied(false);
    for (const migration of newer) {
      for (const sql of statementsOf(migration)) await client.query(sql);
      await client.query('insert into migrations (name) values ($1)', [migration.name]);
    }
    await migrateJobsWithin(client);
    await client.query(ADD_JOBS);
    // Numbers that were given after the backup are given again, to other changes.
    await client.query(RENEW_GENERATION.text);
    await client.query(DISABLE_RESTORED.text);
    for (const table of this.#tables.keys()) await client.query(`analyze ${name(table)}`);
    return newer.map((migration) => migration.name);
  }

  /** Drafts that were published after the backup would be published again, and followers notified again. @returns the number of drafts */
  async removeSchedules(): Promise<number> {
    await this.#client.query('delete from announcements');
    const { rowCount } = await this.#client.query('update drafts set publish_at = null where publish_at is not null');
    return rowCount ?? 0;
  }

  /** Those that have no foreign key. @throws FileError */
  async #checkReferences(): Promise<void> {
    for (const { table, column } of await checkedReferencesOf(this.#client)) {
      const [rows, ended, key] =
        column === 'article_id'
          ? ['all_articles', 'ended_articles', 'article_id']
          : ['members', 'withdrawn_members', 'id'];
      const { rows: missing } = await this.#client.query(
        `select x.${name(column)} as id from ${name(table)} x where x.${name(column)} is not null
           and not exists (select from ${rows} r where r.id = x.${name(column)})
           and not exists (select from ${ended} e where e.${key} = x.${name(column)}) limit 1`,
      );
      if (missing.length > 0)
        throw new FileError(`its table ${table} has the ${column} ${missing[0].id}, of which it has no row`);
    }
  }

  #applied(isApplied: boolean) {
    return migrations.filter((migration) => this.#header.migrations.includes(migration.name) === isApplied);
  }

  /** @param foreign tables of another program, which existed before */
  async #matchTables(foreign: ReadonlySet<string>): Promise<void> {
    const given = new Map(this.#header.tables.map((table) => [table.name, table]));
    for (const table of await tablesOf(this.#client)) {
      if (foreign.has(table.name)) continue;
      const columns = given.get(table.name)?.columns;
      if (!columns) throw new FileError(`it lacks the table ${table.name}`);
      if (String([...columns].sort()) !== String([...table.columns].sort()))
        throw new FileError(`its table ${table.name} has other columns than the migrations it names`);
      this.#tables.set(table.name, { name: table.name, columns });
    }
    this.skipped.push(...[...given.keys()].filter((table) => !this.#tables.has(table)));
  }
}

/** A job that was running when the backup was made runs again, and a failed one stays failed. */
const ADD_JOBS = `
  select case when r.attempts >= r.max_attempts
    then (select count(*) from graphile_worker.permanently_fail_jobs(array[j.id], r.last_error))
    else (select count(*) from graphile_worker.reschedule_jobs(array[j.id], attempts => r.attempts)) end
  from restored_jobs r, lateral graphile_worker.add_job(r.task, r.payload, queue_name => r.queue, run_at => r.run_at,
    max_attempts => r.max_attempts, job_key => r.key, priority => r.priority, flags => nullif(r.flags, '{}')) j`;

/** @throws OperatorError if this version cannot restore the backup */
export function requireKnownMigrations({ migrations: names, generator }: Header): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = names.filter((migration) => !known.has(migration));
  if (unknown.length === 0) return;
  throw new OperatorError(
    `The backup was made by a later version (${generator}), with migrations that this version does not have: ` +
      `${unknown.slice(0, 5).join(', ')}. Restore it with that version or a later one`,
  );
}
