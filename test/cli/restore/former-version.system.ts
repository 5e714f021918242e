/** A journal of 1.0.0: its backup is restored, its database is migrated, and the responses of both are those of 1.0.0 (test/data/README.md). */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrations } from '../../../migrations/index.js';
import { openArchive } from '../../../src/cli/backup/read-archive.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { stateOf } from '../../support/backup.js';
import { ROOT, runDaybook } from '../../support/cli.js';
import { type Reader, sendAll } from '../../support/compared-reads.js';
import { emptyDatabase, freshDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { interruptRestore } from '../../support/interrupted-restore.js';
import { startService } from '../../support/process.js';
import { until } from '../../support/until.js';

const BACKUP = join(ROOT, 'test/data/1.0.0/journal.backup.tar.gz');
const READS = join(ROOT, 'test/data/1.0.0/reads.json.br');

describe('A journal of 1.0.0', function () {
  this.timeout(240_000);

  it('is restored, also after a restore was killed', async () => {
    const DATABASE_URL = await emptyDatabase('daybook_restored_1_0');
    const DATA_DIR = await makeFolder();
    await interruptRestore(BACKUP, { DATABASE_URL, DATA_DIR }, 'SIGKILL');
    const { code, stderr } = await runDaybook(['restore', BACKUP], { DATABASE_URL, DATA_DIR });
    expect(code, stderr).to.equal(0);
    await expectSameJournal(DATABASE_URL);
  });

  it('is migrated when the service starts', async () => {
    await expectSameJournal(await formerDatabase());
  });
});

/** The database that the backup was made from. */
async function formerDatabase(): Promise<string> {
  const url = await emptyDatabase('daybook_former');
  await migrate(url, { steps: migrations.slice(0, 1) });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const archive = await openArchive(createReadStream(BACKUP));
    const tables = archive.header.tables.filter(({ name }) => name !== 'migrations');
    await client.query('set session_replication_role = replica');
    await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    for await (const { kind, subject, content } of archive.entries) {
      const columns = tables.find(({ name }) => kind === 'rows' && name === subject)?.columns;
      if (columns)
        await pipeline(content, client.query(copyFrom(`copy ${subject} (${columns.join(', ')}) from stdin`)));
    }
    for (const { name, value, isCalled } of archive.manifest().sequences)
      await client.query('select setval($1::regclass, $2, $3)', [name, value, isCalled]);
  } finally {
    await client.end();
  }
  return url;
}

async function expectSameJournal(url: string): Promise<void> {
  const reads: Record<string, unknown> = JSON.parse(brotliDecompressSync(await readFile(READS)).toString());
  const service = await startService(url, { PUBLIC_URL: 'https://journal.test' });
  try {
    // HTML is rendered again by a version with another renderer, and is null until then.
    await until(async () => {
      const [copy] = await sendAll(service.url, [requestOf('GET /api/articles?include=contentHtml&size=50')]);
      return copy?.status === 200 && !copy.body.includes('"contentHtml":null');
    });
    const copies = await sendAll(service.url, Object.keys(reads).map(requestOf));
    for (const [index, [read, expected]] of Object.entries(reads).entries()) {
      const text = copies[index]?.body ?? '';
      const received = typeof expected === 'string' ? text : JSON.parse(text);
      expect(fieldsOf(expected, received), read).to.deep.equal(expected);
    }
  } finally {
    await service.stop();
  }
  const { definitions } = await stateOf(await freshDatabase('daybook_new'));
  expect((await stateOf(url)).definitions).to.deep.equal(definitions);
}

function requestOf(read: string) {
  const reader: Reader = { name: 'anonymous', viewerId: 0, scopes: new Set() };
  if (read.startsWith('GET ')) return { reader, method: 'GET', path: read.slice(4) };
  return { reader, method: 'POST', path: '/graphql', body: JSON.stringify({ query: read }) };
}

/** The received value with the fields of the expected one: a later version may add others. */
function fieldsOf(expected: unknown, received: unknown): unknown {
  if (typeof expected !== 'object' || typeof received !== 'object' || expected === null || received === null)
    return received;
  if (Array.isArray(expected) && Array.isArray(received))
    return received.map((value, index) => fieldsOf(expected[index], value));
  const values = received as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(expected).flatMap(([name, value]) =>
      name in values ? [[name, fieldsOf(value, values[name])]] : [],
    ),
  );
}
