#!/usr/bin/env node
/**
 * Starts a cluster on this machine: etcd, three PostgreSQL servers with Patroni, HAProxy, and two processes of the service.
 * Ctrl-C stops all of them. Needs the Debian packages patroni, etcd-server, haproxy and postgresql; docs/scaling.md describes the use.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = resolve(process.env.CLUSTER_DIR || join(ROOT, '.daybook-cluster'));
/** The first of the ports that are used, up to the 24th. */
const PORT = Number(process.env.CLUSTER_PORT || 15000);
/** Longer than the ttl of patroni.yml: a lost primary is replaced before it returns. */
const RESTART_MS = 1000 * Number(process.env.CLUSTER_RESTART_SECONDS || 30);
/** Added to the ports at which others find a member, and at which it finds etcd: a proxy there can cut it off from them. */
const OFFSET = Number(process.env.CLUSTER_ADVERTISED_OFFSET || 0);
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;

const ports = {
  service: PORT,
  primary: PORT + 1,
  etcd: PORT + 2,
  etcdPeers: PORT + 3,
  processes: [PORT + 4, PORT + 5],
  postgres: [PORT + 11, PORT + 12, PORT + 13],
  rest: [PORT + 21, PORT + 22, PORT + 23],
};
const MEMBERS = ports.postgres.map((_, index) => `member${index + 1}`);
/** The running components, in the order of their start. */
const running = new Map();
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));
try {
  await start();
} catch (error) {
  if (!isStopping) {
    process.stderr.write(`${error.message}\n`);
    await stop(1);
  }
}

async function start() {
  const account = osAccount();
  const binaries = findBinaries();
  for (const program of ['etcd', 'patroni', 'haproxy']) requireProgram(program);
  await Promise.all(Object.values(ports).flat().map(requireFreePort));
  const secrets = prepareFolder(account);
  const run = (name, program, args) => supervise(name, program, args, { ...account, cwd: FOLDER });

  run('etcd', 'etcd', [
    ...['--name=etcd', `--data-dir=${FOLDER}/etcd-data`, `--initial-cluster=etcd=http://127.0.0.1:${ports.etcdPeers}`],
    ...['listen-client-urls', 'advertise-client-urls'].map((name) => `--${name}=http://127.0.0.1:${ports.etcd}`),
    ...['listen-peer-urls', 'initial-advertise-peer-urls'].map(
      (name) => `--${name}=http://127.0.0.1:${ports.etcdPeers}`,
    ),
  ]);
  await waitFor('etcd', () => fetch(`http://127.0.0.1:${ports.etcd}/health`));
  for (const [index, name] of MEMBERS.entries()) {
    run(name, 'patroni', [configure('patroni.yml', `${name}.yml`, account, memberValues(index, binaries, secrets))]);
  }
  run('haproxy', 'haproxy', ['-db', '-f', configure('haproxy.cfg', 'haproxy.cfg', account, proxyValues())]);
  await waitFor('the first primary', () => createDatabase(secrets));

  const credentials = `postgres://daybook:${secrets.daybook}@`;
  const hosts = ports.postgres.map((port) => `127.0.0.1:${port + OFFSET}`).join();
  // Both ways to find the primary, for comparison. All processes of a real cluster use the same.
  startProcess(0, `${credentials}127.0.0.1:${ports.primary}/daybook`);
  startProcess(1, `${credentials}${hosts}/daybook?target_session_attrs=read-write`);
  for (const port of ports.processes) await waitFor('the service', () => isOk(`http://127.0.0.1:${port}/readyz`));
  await waitFor('the standbys', hasSynchronousStandby);
  process.stdout.write(`The cluster is ready: http://127.0.0.1:${ports.service}/ (logs and data in ${FOLDER})
  The processes of the service: ports ${ports.processes.join(', ')}. The primary, through HAProxy: port ${ports.primary}.
  Members: patronictl -c ${FOLDER}/member1.yml list
  Switchover: patronictl -c ${FOLDER}/member1.yml switchover --force
  Loss of a member: kill -9 $(cat ${FOLDER}/member1.pid) $(head -1 ${FOLDER}/member1/postmaster.pid)
  A component that ends is started again after ${RESTART_MS / 1000} s. Ctrl-C stops the cluster.
`);
}

function startProcess(index, databaseUrl) {
  const env = {
    ...process.env,
    ...{ HOST: '127.0.0.1', PORT: String(ports.processes[index]), DATABASE_URL: databaseUrl },
    ...{ DATA_DIR: join(FOLDER, 'service'), PUBLIC_URL: `http://127.0.0.1:${ports.service}`, TRUST_PROXY: '1' },
  };
  supervise(`service${index + 1}`, process.execPath, [join(ROOT, 'bin/daybook.js'), 'start'], { env });
}

/** Runs a component, with its output in a file and its process id in another, and starts it again when it ends. */
function supervise(name, program, args, options) {
  const log = openSync(join(FOLDER, `${name}.log`), 'a');
  // Not in the process group of the terminal, whose Ctrl-C would stop all components at once.
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', log, log] });
  running.set(name, child);
  writeFileSync(join(FOLDER, `${name}.pid`), `${child.pid}\n`);
  child.once('exit', (code, signal) => {
    running.delete(name);
    if (isStopping) return;
    process.stdout.write(`${name} ended (${signal ?? code}), and is started again in ${RESTART_MS / 1000} s.\n`);
    setTimeout(() => isStopping || supervise(name, program, args, options), RESTART_MS);
  });
}

/** Stops the components in the reverse order of their start; those of one kind together. */
async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  for (const kind of ['service', 'haproxy', 'member', 'etcd']) {
    await Promise.all([...running].filter(([name]) => name.startsWith(kind)).map(([, child]) => end(child)));
  }
  for (const name of MEMBERS) endOrphan(name);
  process.exit(code);
}

async function end(child) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  // A component that is paused.
  child.kill('SIGCONT');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** Ends a PostgreSQL server whose Patroni was killed. */
function endOrphan(name) {
  try {
    process.kill(Number(readFileSync(join(FOLDER, name, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT');
  } catch {
    // It does not run.
  }
}

function memberValues(index, binaries, secrets) {
  return {
    NAME: MEMBERS[index],
    FOLDER,
    BINARIES: binaries,
    POSTGRES_PORT: ports.postgres[index],
    REST_PORT: ports.rest[index],
    ADVERTISED_POSTGRES_PORT: ports.postgres[index] + OFFSET,
    ADVERTISED_REST_PORT: ports.rest[index] + OFFSET,
    ETCD_PORT: OFFSET === 0 ? ports.etcd : ports.rest[index] + 10 + OFFSET,
    SUPERUSER_PASSWORD: secrets.superuser,
    REPLICATION_PASSWORD: secrets.replication,
  };
}

function proxyValues() {
  const members = MEMBERS.map(
    (name, index) =>
      `  server ${name} 127.0.0.1:${ports.postgres[index] + OFFSET} check port ${ports.rest[index] + OFFSET}`,
  );
  const processes = ports.processes.map((port, index) => `  server service${index + 1} 127.0.0.1:${port}`);
  return {
    SERVICE_PORT: ports.service,
    PRIMARY_PORT: ports.primary,
    PRIMARY_SERVERS: members.join('\n'),
    PROCESSES: processes.map((line) => `${line} check`).join('\n'),
    UNCHECKED_PROCESSES: processes.join('\n'),
  };
}

/** Writes a configuration for this machine. @returns its path */
function configure(template, name, account, values) {
  const text = readFileSync(new URL(template, import.meta.url), 'utf8').replace(
    /\$([A-Z_]+)/g,
    (_, key) => values[key],
  );
  return writeOwned(join(FOLDER, name), text, account);
}

function writeOwned(path, text, { uid, gid }) {
  writeFileSync(path, text, { mode: 0o600 });
  if (uid !== undefined) chownSync(path, uid, gid);
  return path;
}

/** @returns the passwords of the cluster, which are generated at the first start */
function prepareFolder(account) {
  mkdirSync(FOLDER, { recursive: true });
  chmodSync(FOLDER, 0o700);
  if (account.uid !== undefined) chownSync(FOLDER, account.uid, account.gid);
  if (spawnSync('test', ['-w', FOLDER], account).status !== 0) {
    throw new Error(
      `The user of PostgreSQL cannot access ${FOLDER}: set CLUSTER_DIR to a folder with accessible parents.`,
    );
  }
  for (const name of readdirSync(FOLDER)) if (name.endsWith('.pid')) rmSync(join(FOLDER, name));
  const path = join(FOLDER, 'passwords.json');
  if (!existsSync(path)) {
    const password = () => randomBytes(16).toString('hex');
    const passwords = { superuser: password(), replication: password(), daybook: password() };
    writeOwned(path, JSON.stringify(passwords), account);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** PostgreSQL does not run as root. @returns the user for all but the service; empty: the current one */
function osAccount() {
  if (process.getuid() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined) throw new Error('There is no user "postgres": install the Debian package postgresql.');
  return { uid: Number(uid), gid: Number(gid) };
}

/** @returns the folder of the newest PostgreSQL */
function findBinaries() {
  const parent = '/usr/lib/postgresql';
  const versions = existsSync(parent) ? readdirSync(parent).filter((name) => /^\d+$/.test(name)) : [];
  if (versions.length === 0)
    throw new Error(`There is no PostgreSQL in ${parent}: install the Debian package postgresql.`);
  return join(parent, String(Math.max(...versions.map(Number))), 'bin');
}

function requireProgram(program) {
  if (spawnSync(program, ['--version']).error === undefined) return;
  throw new Error(`The program ${program} is missing: apt-get install patroni etcd-server haproxy postgresql`);
}

async function requireFreePort(port) {
  const server = createServer();
  const failed = once(server, 'error').then(() => {
    throw new Error(`Port ${port} is in use: set CLUSTER_PORT to the first of 24 free ports.`);
  });
  await Promise.race([once(server.listen(port, '127.0.0.1'), 'listening'), failed]);
  failed.catch(() => {});
  server.close();
  await once(server, 'close');
}

/** Through HAProxy, so that it succeeds when there is a primary. */
async function createDatabase({ superuser, daybook }) {
  const client = new pg.Client(`postgres://postgres:${superuser}@127.0.0.1:${ports.primary}/postgres`);
  client.on('error', () => {});
  await client.connect();
  try {
    const exists = async (sql) => (await client.query(sql)).rowCount > 0;
    if (!(await exists(`select from pg_roles where rolname = 'daybook'`))) {
      await client.query(`create role daybook login password '${daybook}'`);
    }
    if (!(await exists(`select from pg_database where datname = 'daybook'`))) {
      await client.query('create database daybook owner daybook');
    }
  } finally {
    await client.end();
  }
}

async function hasSynchronousStandby() {
  const response = await fetch(`http://127.0.0.1:${ports.rest[0]}/cluster`);
  const { members } = await response.json();
  const isComplete = members.length === MEMBERS.length && members.every(({ state }) => state === 'running');
  if (!isComplete || !members.some(({ role }) => role === 'sync_standby')) throw new Error('not yet');
}

async function isOk(url) {
  const { ok, status } = await fetch(url);
  if (!ok) throw new Error(`${url}: ${status}`);
}

/** Repeats `attempt` until it succeeds. */
async function waitFor(what, attempt) {
  for (const end = Date.now() + START_TIMEOUT_MS; ; ) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (isStopping) throw error;
      if (Date.now() > end)
        throw new Error(`No ${what} after ${START_TIMEOUT_MS / 1000} s (${error.message}): see ${FOLDER}/*.log`);
    }
    await delay(200);
  }
}
