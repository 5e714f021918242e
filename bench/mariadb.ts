/** MariaDB for the products that need it: a server in the folder of the benchmark, which only a socket in that folder reaches. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { to as copyTo } from 'pg-copy-streams';
import { startProgram } from './contender.js';
import { withClient } from './database.js';
import { type AtEnd, FOLDER } from './session.js';

const DATA = join(FOLDER, 'mariadb');
export const MARIADB_SOCKET = join(FOLDER, 'mariadb.sock');
/** Marks a database whose data is complete. */
const MARKER = 'bench_data_made';

/** Starts the server; no effect if another product has started it. */
export function startMariadb(atEnd: AtEnd): Promise<void> {
  started ??= start(atEnd);
  return started;
}

let started: Promise<void> | undefined;

async function start(atEnd: AtEnd): Promise<void> {
  const common = ['--no-defaults', `--datadir=${DATA}`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
  if (!existsSync(join(DATA, 'mysql'))) {
    const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
    await runProgram('mariadb-install-db', [...common, ...options]);
  }
  const options = [`--socket=${MARIADB_SOCKET}`, '--skip-networking', '--character-set-server=utf8mb4'];
  // All data fits in memory, as that of PostgreSQL does.
  const args = [...common, ...options, `--pid-file=${DATA}/pid`, '--innodb-buffer-pool-size=2G'];
  const isReady = () => query('select 1').then(Boolean, () => false);
  await startProgram({ name: 'mariadb', command: 'mariadbd', args, isReady }, atEnd);
}

/** Creates the database unless an earlier run has loaded all of its data. */
export async function loadDatabase(name: string, load: () => Promise<void>): Promise<void> {
  if (await query(`show tables in ${name} like '${MARKER}'`).catch(() => '')) return;
  await query(`drop database if exists ${name}; create database ${name} character set utf8mb4`);
  await load();
  await query(`create table ${MARKER} (made int)`, name);
}

/** Executes statements. @param input data for `load data local infile '/dev/stdin'` @returns the rows, columns separated by tabs */
export function query(sql: string, database = '', input?: Readable): Promise<string> {
  const options = ['--default-character-set=utf8mb4', '--local-infile', '--skip-column-names', '--batch', '-e', sql];
  return runProgram('mariadb', ['--no-defaults', '--user=root', `--socket=${MARIADB_SOCKET}`, ...options, database], {
    ...(input && { input }),
  });
}

/** Fills a table from PostgreSQL. @param select the rows of the columns @param others assignments of other columns */
export async function copyRows(databaseUrl: string, database: string, rows: Rows): Promise<void> {
  const { table, columns, select } = rows;
  const sql = `set sql_mode = '', unique_checks = 0, foreign_key_checks = 0;
    load data local infile '/dev/stdin' into table ${table} character set utf8mb4 (${columns})`;
  await withClient(databaseUrl, (client) => query(sql, database, client.query(copyTo(`copy (${select}) to stdout`))));
}

export interface Rows {
  table: string;
  columns: string;
  select: string;
}

/** @returns its output @throws Error with its error output, if it fails */
export async function runProgram(
  command: string,
  args: readonly string[],
  { input = Readable.from([]), ...options }: { input?: Readable; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  // Input comes from `cat`: Node passes a socket, which a program cannot open as /dev/stdin.
  const child = spawn('sh', ['-c', 'cat | "$0" "$@"', command, ...args], { ...options, stdio: 'pipe' });
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
    // A program that ends before it has read everything fails by its status.
    pipeline(input, child.stdin).catch(() => {}),
  ]);
  if (status === 0) return output;
  throw new Error(`${command} failed: ${(errors || output).trim().slice(-1000)}`);
}
