/** Databases of the benchmarks, on a server that only they use. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrate } from '../src/platform/database/migrate.js';

/** The command `daybook`. */
export const MAIN = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));

/** Of all members of the sample journal. */
export const SAMPLE_PASSWORD = 'an owl in the attic';

/** Creates the database with the current schema, unless it exists. @param serverUrl superuser URL @returns URL of the database */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await withClient(serverUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  });
  await migrate(url.href);
  return url.href;
}

/** Creates the database with the sample journal of now. @param dataDir receives its images @returns URL of the database */
export async function createSample(serverUrl: string, name: string, dataDir: string): Promise<string> {
  await dropDatabase(serverUrl, name);
  const url = await createDatabase(serverUrl, name);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url, DATA_DIR: dataDir };
  await promisify(execFile)(process.execPath, [...process.execArgv, MAIN, 'seed', '--password', SAMPLE_PASSWORD], {
    env,
  });
  return url;
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
}

/**
 * Loads data in one transaction, without triggers and foreign keys, which would cost more per row than the insert; no effect if an
 * earlier run has loaded it. The marker is written in the same transaction, so that incomplete data is not reused.
 */
export async function loadOnce(url: string, load: (client: pg.Client) => Promise<void>): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query('select to_regclass(\'bench_data_made\') is not null as "isLoaded"');
    if (rows[0]?.isLoaded) return;
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query("set local maintenance_work_mem = '1GB'");
    await load(client);
    await client.query('create table bench_data_made ()');
    await client.query('commit');
    // Sets the visibility map, without which an index-only scan also reads the table.
    await client.query('vacuum analyze');
  });
}

/** With the settings of connections of the service. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c jit=off -c work_mem=32MB' });
  await client.connect();
  return client;
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
