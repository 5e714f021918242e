/**
 * `npm run statements`: writes all SQL statements and the schema to `dist`, and their digest to `test/sql/digest.txt`, with a database of its own.
 * With the URL of an empty database as argument, it writes nothing, and prints what differs from the digest and from the list of long statements.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { definitionsOf } from './definitions.js';
import { differences, digestOf, type Entry, nameOf } from './entry.js';
import { faultsOfLength } from './long-statements.js';
import { statementsOf } from './statements.js';

const ROOT = new URL('../../../', import.meta.url);
const DIGEST = new URL('test/sql/digest.txt', ROOT);
const FOLDER = new URL('dist/statements/', ROOT);
const SCHEMA = 'schema/';
const [given] = process.argv.slice(2);
if (given === undefined) await write(await withDatabase(allEntries));
else {
  const entries = await allEntries(given);
  const stale = differences(entries, await readFile(DIGEST, 'utf8'));
  process.stdout.write(JSON.stringify({ stale, lengths: faultsOfLength(entries) }));
}

async function allEntries(url: string): Promise<Entry[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // After `statements.js`, which finds the statements of the modules that are imported from then on.
    const { MIGRATIONS_TABLE } = await import('../../src/platform/database/migrate.js');
    await client.query(MIGRATIONS_TABLE);
    const definitions = await definitionsOf(client);
    const { migrateJobs } = await import('../../src/platform/database/migrate-queue.js');
    await migrateJobs(url);
    return [...(await statementsOf(client)), ...definitions];
  } finally {
    await client.end();
  }
}

async function write(entries: readonly Entry[]): Promise<void> {
  const statements = entries.filter(({ file }) => !file.startsWith(SCHEMA));
  const definitions = entries.filter(({ file }) => file.startsWith(SCHEMA));
  await rm(FOLDER, { recursive: true, force: true });
  for (const [file, found] of byFile(statements)) {
    const path = new URL(`${file}.sql`, FOLDER);
    await mkdir(new URL('.', path), { recursive: true });
    await writeFile(path, found.map(({ title, text }) => `-- ${title}\n${text}\n`).join('\n'));
  }
  const lengths = entries.filter(({ lines }) => lines > 0).sort((a, b) => b.lines - a.lines);
  await writeFile(
    new URL('lengths.txt', FOLDER),
    lengths.map((entry) => `${String(entry.lines).padStart(4)} ${nameOf(entry)}\n`).join(''),
  );
  const subjects = [...byFile(definitions)].map(([file, found]) =>
    [`\n## ${file.replace(SCHEMA, '')}\n`, ...found.map(describe)].join('\n'),
  );
  await writeFile(new URL('dist/schema.md', ROOT), `# Schema\n${subjects.join('')}`);
  await writeFile(DIGEST, digestOf(entries));
  process.stdout.write(
    `Wrote ${statements.length} statements to dist/statements, ${definitions.length} definitions to dist/schema.md, and test/sql/digest.txt.\n`,
  );
}

function byFile(entries: readonly Entry[]): Map<string, Entry[]> {
  const files = new Map<string, Entry[]>();
  for (const entry of entries) files.set(entry.file, [...(files.get(entry.file) ?? []), entry]);
  return files;
}

function describe({ file, title, text, comment = '', step }: Entry): string {
  const later = `${SCHEMA}${step}` === file ? '' : ` (${step})`;
  return `### ${title}${later}\n\n\`\`\`sql\n${comment}${text}\n\`\`\`\n`;
}

async function withDatabase<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const { startEmbeddedPostgres } = await import('../../src/platform/database/embedded/embedded.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-sql-'));
  const { url, stop } = await startEmbeddedPostgres({ dataDir, password: 'only-for-the-statements' });
  try {
    return await use(url);
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
