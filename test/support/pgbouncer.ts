/** A real PgBouncer in front of a database. */
import { execFileSync, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { makeFolder } from './folder.js';
import { freePort } from './server.js';
import { until } from './until.js';

export interface PgBouncer {
  /** The URL of the same database through PgBouncer. */
  url: string;
  stop(): Promise<void>;
}

/** @param options further options of the section `[pgbouncer]` */
export async function startPgBouncer(
  databaseUrl: string,
  options: Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl);
  const folder = await makeFolder();
  const own = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    ...options,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const database = `${pathname.slice(1)} = host=${hostname} port=${port} dbname=${pathname.slice(1)}`;
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  // It cannot run as root.
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  if (user.length > 0) execFileSync('chmod', ['-R', 'a+rX', folder]);
  const child = spawn('pgbouncer', ['--quiet', ...user, file], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = Object.assign(new URL(databaseUrl), { port: String(own) }).href;
  await until(() => isReady(url));
  return {
    url,
    stop: async () => {
      child.kill('SIGQUIT');
      await ended;
    },
  };
}

async function isReady(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    client.end().catch(() => {});
  }
}
