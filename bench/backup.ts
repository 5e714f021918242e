/**
 * Duration and memory of `backup` and `restore`, and the size of the archive: for the sample journal and for many comments. The public
 * exports of the original and of the restored database must be identical. With --target, the archive is restored on another server, such as
 * one of another version of PostgreSQL, and a backup of that on the server of the benchmark.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../src/cli/program.js';
import { listenForStop } from '../src/cli/terminal.js';
import { prepareData } from './data.js';
import { createSample, dropDatabase, MAIN, withClient } from './database.js';
import { log, runBenchmark, startPostgres } from './session.js';

const MIB = 2 ** 20;
const SAMPLE = 'bench_sample';
const RESTORED = 'bench_restored';

interface Cost {
  seconds: number;
  /** Null where the system does not report it (outside Linux). */
  peakBytes: number | null;
}

interface Result {
  data: string;
  /** Versions of PostgreSQL. */
  source: string;
  target: string;
  databaseBytes: number;
  archiveBytes: number;
  backup: Cost;
  verify: Cost;
  restore: Cost;
}

await runBenchmark({
  numbers: { comments: ['comments', 1_000_000, 1000, 50_000_000] },
  texts: { target: '' },
  async run({ comments, target }, atEnd) {
    const server = await startPostgres(atEnd);
    const targetServer = target || server;
    const folder = await mkdtemp(join(tmpdir(), 'daybook-backup-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const sample = await createSample(server, SAMPLE, folder);
    const { url } = await prepareData(server, comments);
    const results: Result[] = [];
    for (const [data, source] of [
      ['the sample journal', sample],
      [`${comments.toLocaleString('en')} comments`, url],
    ] as const) {
      results.push(await measure(data, source, targetServer, folder));
      if (target) results.push(await measure(data, restoredUrl(target), server, folder));
      for (const one of new Set([server, targetServer])) await dropDatabase(one, RESTORED);
    }
    return results;
  },
  toText: (results) => results.map((result) => `${JSON.stringify(result, undefined, 2)}\n`).join(''),
  toMarkdown,
});

/** @throws Error if the exports of the two databases differ */
async function measure(data: string, url: string, targetServer: string, folder: string): Promise<Result> {
  log(`Backing up ${data}.`);
  const archive = join(folder, 'backup.tar.gz');
  await rm(archive, { force: true });
  const backup = await runDaybook(['backup', archive], url, folder);
  const verify = await runDaybook(['restore', archive, '--verify'], url, folder);
  await dropDatabase(targetServer, RESTORED);
  await withClient(targetServer, (client) => client.query(`create database ${RESTORED}`));
  const restored = restoredUrl(targetServer);
  const restore = await runDaybook(['restore', archive], restored, join(folder, 'restored'));
  const [before, after] = [await exportDigest(url, folder), await exportDigest(restored, folder)];
  if (before !== after) throw new Error('The public exports of the original and of the restored database differ.');
  return {
    data,
    source: await versionOf(url),
    target: await versionOf(restored),
    databaseBytes: await sizeOf(url),
    archiveBytes: (await stat(archive)).size,
    ...{ backup, verify, restore },
  };
}

function restoredUrl(server: string): string {
  const url = new URL(server);
  url.pathname = `/${RESTORED}`;
  return url.href;
}

/** Runs a command. @throws Error with its error output if it fails */
async function runDaybook(args: readonly string[], databaseUrl: string, dataDir: string): Promise<Cost> {
  const startedAt = performance.now();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  const child = spawn(process.execPath, [...process.execArgv, MAIN, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-2_000)));
  let peakBytes: number | null = null;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    if (kib) peakBytes = Number(kib) * 1024;
  }, 50);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`"daybook ${args[0]}" ended with ${code}: ${errors}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakBytes };
}

async function exportDigest(databaseUrl: string, folder: string): Promise<string> {
  const file = join(folder, 'export.ndjson');
  await rm(file, { force: true });
  const { stdout, stderr } = process;
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: folder };
  // In this process, because it is not measured.
  const code = await runCommand(['export', '--output', file], { stdout, stderr, env, listenForStop });
  if (code !== 0) throw new Error(`"daybook export" ended with ${code}.`);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

async function versionOf(url: string): Promise<string> {
  const { rows } = await withClient(url, (client) => client.query('show server_version'));
  return String(rows[0].server_version).split(' ')[0] ?? '';
}

async function sizeOf(url: string): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query('select pg_database_size(current_database())::float8 as bytes'),
  );
  return rows[0].bytes;
}

function toMarkdown(results: readonly Result[]): string {
  const mib = (bytes: number | null) => (bytes === null ? '' : `${Math.round(bytes / MIB)} MiB`);
  const cost = ({ seconds, peakBytes }: Cost) => `${seconds.toFixed(1)} s, ${mib(peakBytes)}`;
  const rows = results.map(({ data, source, target, databaseBytes, archiveBytes, backup, verify, restore }) => {
    const columns = [data, `${source} → ${target}`, mib(databaseBytes), `${(archiveBytes / MIB).toFixed(1)} MiB`];
    return `| ${[...columns, cost(backup), cost(verify), cost(restore)].join(' | ')} |\n`;
  });
  return `| Data | PostgreSQL | Database | Archive | \`backup\` | \`restore --verify\` | \`restore\` |
|---|---|---|---|---|---|---|
${rows.join('')}`;
}
