/** A PostgreSQL server of its own with standby servers (streaming replication). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFile, chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { installedBinaries, prepareBinaries, program } from '../../src/platform/database/embedded/binaries.js';
import { insideOf } from '../../src/platform/database/embedded/data-directory.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.js';
import { chooseOsUser, processOptions } from '../../src/platform/database/embedded/os-user.js';
import { execute } from './database.js';
import { makeFolder } from './folder.js';
import { freePort } from './server.js';
import { until } from './until.js';

export interface Primary {
  /** URL of the database `daybook`. */
  url: string;
  /** Folder of the cluster. */
  cluster: string;
  addStandby(): Promise<Standby>;
  /** Stops the standby servers too. */
  stop(): Promise<void>;
}

export interface Standby {
  url: string;
  /** Stops the replay of changes. They are still received. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves when everything is replayed that is committed on the primary at the time of the call. */
  catchUp(): Promise<void>;
  /** Ends all its processes at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startPrimary(): Promise<Primary> {
  const dataDir = await makeFolder();
  const server = await startEmbeddedPostgres({ dataDir, password: 'only-for-the-tests' });
  await execute(['alter system set fsync = off', 'select pg_reload_conf()'], server.url);
  const standbys: Standby[] = [];
  return {
    url: server.url,
    cluster: join(dataDir, 'postgres'),
    addStandby: async () => {
      const standby = await makeStandby(join(dataDir, 'postgres'), server.url, `standby_${standbys.length}`);
      standbys.push(standby);
      return standby;
    },
    stop: async () => {
      await Promise.all(standbys.map((standby) => standby.kill()));
      await server.stop();
    },
  };
}

async function makeStandby(source: string, primaryUrl: string, slot: string): Promise<Standby> {
  const folder = await makeFolder();
  const cluster = join(folder, 'postgres');
  const account = await chooseOsUser(folder);
  const binaries = await prepareBinaries(account, await installedBinaries());
  await copyCluster(source, cluster, primaryUrl, slot);
  if (account) {
    await chmod(folder, 0o711);
    execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
  }
  const port = await freePort();
  const url = Object.assign(new URL(primaryUrl), { port: String(port) }).href;
  let child: ChildProcess | undefined;
  const start = async () => {
    const { cwd, dataArgument } = insideOf(cluster);
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 200,
      fsync: 'off',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const all = { ...processOptions(account), cwd, stdio: 'ignore' } as const;
    child = spawn(program(binaries, 'postgres'), ['-D', dataArgument, ...options], all);
    await until(() => readValue('true', url));
  };
  await start();
  return {
    url,
    start,
    kill: async () => {
      if (!child || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child?.once('close', resolve));
      child.kill('SIGQUIT');
      await ended;
    },
    // Repeated, because the replay of a change can cancel any statement.
    pause: async () => {
      await until(() => succeeds('select pg_wal_replay_pause()', url));
      await until(async () => (await readValue('pg_get_wal_replay_pause_state()', url)) === 'paused');
    },
    resume: async () => void (await until(() => succeeds('select pg_wal_replay_resume()', url))),
    catchUp: async () => {
      const position = await readValue('pg_current_wal_lsn()', primaryUrl);
      await until(async () => (await readValue(`pg_last_wal_replay_lsn() >= '${position}'`, url)) === true);
    },
  };
}

/** A base backup, which pg_basebackup would make; it is not among the bundled programs. */
async function copyCluster(source: string, cluster: string, primaryUrl: string, slot: string): Promise<void> {
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  // Keeps the changes from now on.
  await client.query('select pg_create_physical_replication_slot($1, true)', [slot]);
  await client.query(`select pg_backup_start('standby', true)`);
  // Files may change or be removed while they are copied: the replay repairs it.
  execFileSync('sh', ['-c', 'cp -a "$0" "$1" 2>/dev/null || true', source, cluster]);
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
  await client.end();
  for (const name of ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'])
    await rm(join(cluster, name), { recursive: true, force: true });
  for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_replslot']) await mkdir(join(cluster, name));
  await writeFile(join(cluster, 'backup_label'), rows[0].labelfile);
  await writeFile(join(cluster, 'standby.signal'), '');
  const { hostname, port, username, password } = new URL(primaryUrl);
  const from = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = `primary_conninfo = '${from}'\nprimary_slot_name = '${slot}'\n`;
  await appendFile(join(cluster, 'postgresql.auto.conf'), settings);
}

async function succeeds(statement: string, url: string): Promise<boolean> {
  return execute([statement], url).then(
    () => true,
    () => false,
  );
}

/** @returns undefined if the statement fails */
async function readValue(expression: string, url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(`select ${expression} as value`);
    return rows[0].value;
  } catch {
    return undefined;
  } finally {
    client.end().catch(() => {});
  }
}
