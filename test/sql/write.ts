/**
 * Part of `npm run generate`: writes the snapshots of all SQL statements, with a database of its own. With the URL of a migrated database as argument, it compares them,
 * names those that differ, and exits with 1.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { snapshots } from './snapshots.js';

const FOLDER = fileURLToPath(new URL('../../../test/sql/', import.meta.url));
const [given] = process.argv.slice(2);
const present = (await readdir(FOLDER, { recursive: true })).filter((path) => path.endsWith('.sql'));
if (given === undefined) await write();
else await compare(given);

async function write(): Promise<void> {
  const files = await withDatabase(snapshots);
  for (const path of present) if (!(path in files)) await rm(join(FOLDER, path));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(FOLDER, path)), { recursive: true });
    await writeFile(join(FOLDER, path), text);
  }
  process.stdout.write(`Wrote ${Object.keys(files).length} files of test/sql.\n`);
}

async function compare(url: string): Promise<void> {
  const files = await snapshots(url);
  const stale = present.filter((path) => !(path in files));
  for (const [path, text] of Object.entries(files))
    if (!present.includes(path) || (await readFile(join(FOLDER, path), 'utf8')) !== text) stale.push(path);
  if (stale.length === 0) return;
  process.stdout.write(`Stale: ${stale.join(', ')}\n`);
  process.exitCode = 1;
}

async function withDatabase<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const { startEmbeddedPostgres } = await import('../../src/platform/database/embedded/embedded.js');
  const { migrate } = await import('../../src/platform/database/migrate.js');
  const { migrateJobs } = await import('../../src/platform/database/migrate-queue.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-sql-'));
  const { url, stop } = await startEmbeddedPostgres({ dataDir, password: 'only-for-the-snapshots' });
  try {
    await migrate(url);
    await migrateJobs(url);
    return await use(url);
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
