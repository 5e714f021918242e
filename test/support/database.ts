/** One PostgreSQL server for a test run, and one database for each mocha process: test files run in parallel processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import ms from 'ms';
import pg from 'pg';
import { models } from '../../src/models/index.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { migrateJobs } from '../../src/platform/database/migrate-queue.js';
import { type Database, openDatabase } from '../../src/platform/database/pool.js';
import { removeFolders } from './folder.js';
import { awayFromEndOf } from './period.js';
import './time-limits.js';

/** Runs in the main process, before the worker processes start: they inherit the environment. */
export async function mochaGlobalSetup(this: { stop?: () => Promise<void> }): Promise<void> {
  try {
    if (!process.env.TEST_SERVER_URL) this.stop = await startServer();
    process.env.TEST_TEMPLATE ??= await createTemplate('daybook_test_template');
  } catch (error) {
    // Mocha would neither execute the teardown nor end.
    process.stderr.write(`The database of the tests could not be created: ${(error as Error).stack}\n`);
    await this.stop?.();
    process.exit(1);
  }
}

/** @returns stops the server and deletes its data */
async function startServer(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-test-'));
  const password = 'only-for-the-tests';
  const { url, stop } = await startEmbeddedPostgres({ dataDir, password });
  process.env.TEST_SERVER_URL = url;
  process.env.TEST_SERVER_LOG = join(dataDir, 'postgres.log');
  // The data does not have to survive a crash of the machine. Plans must not depend on when the statistics of a table are updated. Tests read the
  // deadlocks of their database in the log (`countDeadlocksOf`): they are errors, which the start of the server leaves out of the log. With the default
  // verifier of the password, each connection computes 4,096 hashes.
  const settings = [
    'fsync = off',
    'synchronous_commit = off',
    'full_page_writes = off',
    "max_wal_size = '4GB'",
    'autovacuum = off',
    "log_line_prefix = '%m [%p] %d '",
  ];
  const ofServer = settings.map((setting) => `alter system set ${setting}`);
  const ofRole = [
    'alter role current_user set log_min_messages = error',
    'set scram_iterations = 1',
    `alter role current_user password '${password}'`,
  ];
  await execute([...ofServer, 'select pg_reload_conf()', ...ofRole]);
  return async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** Creates a migrated database, which is copied in 0.1 s: the migrations take ten times as long. @returns its name */
async function createTemplate(name: string): Promise<string> {
  const database = openTestPool(await emptyDatabase(name));
  await migrate(database.url);
  await migrateJobs(database.url);
  await database.close();
  return name;
}

function openTestPool(url: string): Database {
  return openDatabase(url, { models, poolSize: 10, statementTimeoutMs: 10_000 });
}

export async function mochaGlobalTeardown(this: { stop?: () => Promise<void> }): Promise<void> {
  await this.stop?.();
}

/** Creates a database with all tables, which are empty. @returns its URL */
export function freshDatabase(name: string): Promise<string> {
  return emptyDatabase(name, process.env.TEST_TEMPLATE);
}

/** Creates a database without tables, or a copy of a template. @returns its URL */
export async function emptyDatabase(name: string, template = 'template1'): Promise<string> {
  await execute([`drop database if exists ${name} with (force)`, `create database ${name} template ${template}`]);
  const url = new URL(process.env.TEST_SERVER_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * For many articles in one statement, which the search does not find. Each reservation of a slug holds a lock until the end of the transaction, and
 * a server has a few thousand locks for all of them. The index of the search takes most of the time of an insertion.
 * @param insertion SQL, without parameters
 */
export function inBulk(insertion: string): string {
  const alter = (action: string) =>
    `alter table all_articles ${action} trigger article_slug_reserved_on_insert, ${action} trigger article_search_add`;
  return `${alter('disable')}; ${insertion}; set constraints all immediate; ${alter('enable')}`;
}

/** Runs statements on the server, or on one of its databases. */
export async function execute(statements: string[], url = process.env.TEST_SERVER_URL): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

const lockers: pg.Client[] = [];

/** Holds the locks of a statement until the returned connection ends, at the latest until the end of the file, also when a test fails. */
export async function holdLocks(url: string, statement: string): Promise<pg.Client> {
  const locker = new pg.Client(url);
  await locker.connect();
  lockers.push(locker);
  await locker.query(`begin; ${statement}`);
  return locker;
}

/** A row for each statement that waits for a lock. */
export const WAITING_FOR_LOCK = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** @param observer outside of a transaction, in which PostgreSQL would not read its activity again @returns the number of statements */
export async function waitingForLock(observer: pg.Client): Promise<number> {
  return (await observer.query(WAITING_FOR_LOCK)).rows.length;
}

let pool: Promise<{ database: Database; unchanged: Database }> | undefined;

/**
 * The pool on the database of this process, with empty tables. Only one, because models are bound to one pool. Functions that the tests of
 * another file have replaced, such as the clock, are restored.
 */
export async function testDatabase(): Promise<Database> {
  pool ??= connect().then((database) => ({ database, unchanged: { ...database } }));
  const { database, unchanged } = await pool;
  Object.assign(database, unchanged);
  await truncateAll(database);
  return database;
}

async function connect(): Promise<Database> {
  const url = process.env.TEST_DATABASE_URL ?? '';
  const database = openTestPool(url);
  // The tests of a changed copy of the project (test/docs/contributing.system.ts) use the template of the original.
  await migrate(url);
  await migrateJobs(database.url);
  return database;
}

/** Binds the models to the pool of this process again, after another one was opened. */
export async function bindModels(): Promise<void> {
  (await pool)?.database.sequelize.addModels(models);
}

/** For all that reads the time from the database in this process, such as the expiry of tokens. @returns restores it */
export function setClockForward(database: Database, ms: number): () => void {
  const { now } = database;
  database.now = () => now() + ms;
  return () => {
    database.now = now;
  };
}

/** Replaces functions of the database, for all requests. @returns restores them */
export function replaceFunctions(database: Database, functions: Partial<Database>): () => void {
  const { forClient, ...original } = database;
  const requests = { ...original, ...functions, forClient: () => requests };
  Object.assign(database, functions, { forClient: () => requests });
  return () => void Object.assign(database, original, { forClient });
}

/**
 * Empties all tables. Few rows are deleted in 3 ms, without triggers; `truncate` takes 0.2 s, because it creates all files of all tables and
 * indexes. The locks wait for transactions that have not ended, as `truncate` does.
 */
export async function truncateAll(database: Database): Promise<void> {
  await database.sequelize.query(`do $$ declare names text[]; large text; name text; begin
    select array_agg(format('%I', tablename)) into names
    from pg_tables where schemaname = 'public' and tablename <> 'migrations';
    execute 'lock table ' || array_to_string(names, ', ');
    select string_agg(one, ', ') into large from unnest(names) one where pg_total_relation_size(one::regclass) > 1e6;
    if large is not null then execute 'truncate ' || large || ' cascade'; end if;
    perform set_config('session_replication_role', 'replica', true);
    foreach name in array names loop execute 'delete from ' || name; end loop;
    perform setval(format('%I', sequencename), start_value, false)
    from pg_sequences where schemaname = 'public' and last_value is not null;
    delete from graphile_worker._private_jobs;
    -- A process that was killed has left its queues locked.
    delete from graphile_worker._private_job_queues;
  end $$`);
}

let url: string | undefined;

/** In a worker process, these hooks run for each file; the main process ends the workers. Nearly all files end on the day on which they begin. */
export const mochaHooks = {
  async beforeAll(this: Context): Promise<void> {
    this.timeout(0);
    await awayFromEndOf('day', ms('1m'));
    url ??= await freshDatabase(`test_${process.pid}`);
    process.env.TEST_DATABASE_URL = url;
  },
  async afterAll(): Promise<void> {
    await Promise.all(lockers.splice(0).map((locker) => locker.end()));
    await removeFolders();
    if (process.env.MOCHA_WORKER_ID === undefined) await (await pool)?.database.close();
  },
};
