/** `daybook restore`: what it rejects, and that a failed or interrupted restore changes nothing. */
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { type Contents, type Header, type Manifest, readAll } from '../../../src/cli/backup/archive.js';
import { readTar, TAR_END, tarHeader, tarPadding } from '../../../src/cli/backup/tar.js';
import { verifyArchive } from '../../../src/cli/backup/verify.js';
import { archiveOf } from '../../../src/cli/backup/write-archive.js';
import { loadSecrets } from '../../../src/platform/config/secrets.js';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.js';
import { chooseOsUser, processOptions } from '../../../src/platform/database/embedded/os-user.js';
import { FileError } from '../../../src/platform/errors.js';
import { useApp } from '../../support/app.js';
import { objectsIn, publicExport, stateOf } from '../../support/backup.js';
import { runDaybook, withoutProgress } from '../../support/cli.js';
import { emptyDatabase, execute, freshDatabase } from '../../support/database.js';
import { buildJournal } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { interruptRestore } from '../../support/interrupted-restore.js';
import { until } from '../../support/until.js';

interface File {
  name: string;
  bytes: Buffer;
}

describe('daybook restore', function () {
  this.timeout(180_000);

  const app = useApp();
  let url: string;
  let archive: string;
  let files: File[];

  before(async () => {
    url = process.env.TEST_DATABASE_URL ?? '';
    archive = join(await makeFolder(), 'journal.tar.gz');
    await loadSecrets(app.dataDir);
    await buildJournal(app);
    const { code, stderr } = await runDaybook(['backup', archive], { DATABASE_URL: url, DATA_DIR: app.dataDir });
    expect(code, stderr).to.equal(0);
    files = await unpacked(archive);
  });

  describe('of a damaged, foreign or hostile archive', () => {
    const file = (name: string) => files.find((each) => each.name === name) ?? { name, bytes: Buffer.alloc(0) };
    const header = () => JSON.parse(file('backup.json').bytes.toString()) as Header;
    const changed = (change: Partial<Record<keyof Header, unknown>>) =>
      files.map((each) =>
        each.name === 'backup.json'
          ? { ...each, bytes: Buffer.from(JSON.stringify({ ...header(), ...change })) }
          : each,
      );
    /** An archive with the checksums and counts of its content. */
    const consistent = (change: Partial<Header>, replaced: (each: File) => File) => async () => {
      const { rows, sequences, jobs, images, bytes } = JSON.parse(file('manifest.json').bytes.toString()) as Manifest;
      const contents: Contents = { rows, sequences, jobs, images, bytes };
      const content = files.filter(({ name }) => /^(?:tables|jobs|images|secrets)/.test(name)).map(replaced);
      const entries = Readable.from(
        content.map(({ name, bytes: own }) => ({ name, size: own.length, content: [own] })),
      );
      return readAll(archiveOf({ ...header(), ...change }, entries, () => contents));
    };
    const inserted = (added: Buffer) => async () =>
      gzipSync(
        Buffer.concat([...files.slice(0, 3).flatMap(tarred), added, ...files.slice(3).flatMap(tarred), TAR_END]),
      );
    const special = (name: string, type: string, size = 0) => {
      const block = tarHeader('placeholder', size, new Date(0));
      block.fill(0, 0, 100).write(name);
      block.write(type, 156);
      block.fill(' ', 148, 156);
      block.write(
        `${block
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return block;
    };

    const CASES: [what: string, make: () => Promise<Buffer>, message: string][] = [
      ['an empty file', async () => Buffer.alloc(0), 'it is incomplete'],
      ['an image', async () => Buffer.from('\x89PNG\r\n\x1a\n'), 'it is not a backup of Daybook'],
      [
        'a tar file of other files',
        async () => pack([{ name: 'etc/passwd', bytes: Buffer.from('x') }]),
        'it is not a backup of Daybook',
      ],
      ['a compressed file of zeros', async () => gzipSync(Buffer.alloc(50_000_000)), 'it continues after its end'],
      ['the first half', async () => (await readFile(archive)).subarray(0, 4000), 'it is incomplete'],
      ['all but the last byte', async () => (await readFile(archive)).subarray(0, -1), 'it is incomplete'],
      [
        'an archive without its manifest',
        async () => pack(files.slice(0, -1)),
        'it is incomplete: its manifest is missing',
      ],
      ['an archive without end mark', async () => gzipSync(Buffer.concat(files.flatMap(tarred))), 'it is incomplete'],
      [
        'more files after the manifest',
        async () => pack([...files, file('secrets.json')]),
        'it continues after its manifest',
      ],
      [
        'more bytes after the end',
        async () => gzipSync(Buffer.concat([gunzipSync(await readFile(archive)), Buffer.from('x')])),
        'it continues after its end',
      ],
      [
        'one bit changed in the checksum of the compressed data',
        async () => flipped(await readFile(archive), -6),
        'its compressed data is damaged',
      ],
      [
        'one letter changed in a comment',
        async () =>
          pack(
            files.map((each) => ({
              ...each,
              bytes: Buffer.from(each.bytes.toString('latin1').replace('It blinks', 'It blinkt'), 'latin1'),
            })),
          ),
        'its content does not match its checksums',
      ],
      [
        'a table missing',
        async () => pack(files.filter(({ name }) => !name.startsWith('tables/comments/'))),
        'its content does not match its checksums',
      ],
      [
        'a checksum file missing',
        async () => pack(files.filter(({ name }) => !name.startsWith('checksums/'))),
        'its checksums do not match its manifest',
      ],
      [
        'a path out of the folder',
        inserted(special('images/../../../etc/x', '0')),
        'it contains "images/../../../etc/x", which is not a file of a backup',
      ],
      [
        'an absolute path',
        inserted(special('/etc/passwd', '0')),
        'it contains "/etc/passwd", which is not a file of a backup',
      ],
      [
        'a symbolic link',
        inserted(special('images/a.webp', '2')),
        'it contains "images/a.webp", which is not a file of a backup',
      ],
      [
        'an extended header',
        inserted(special('images/a.webp', 'x', 0o77777777777)),
        'it contains "images/a.webp", which is not a file of a backup',
      ],
      [
        'an unknown file',
        inserted(special('program.js', '0')),
        'it contains "program.js", which is not a file of a backup',
      ],
      ['a wrong checksum of a file header', inserted(Buffer.alloc(512, 'x')), 'the checksum of a file header is wrong'],
      [
        'an image of eight gigabytes',
        inserted(special('images/a.webp', '0', 0o77777777777)),
        'images/a.webp has 8589934591 bytes',
      ],
      [
        'a header of eight gigabytes',
        async () => gzipSync(tarHeader('backup.json', 0o77777777777, new Date())),
        'backup.json has 8589934591 bytes',
      ],
      [
        'a later format',
        async () => pack(changed({ format: 2, generator: 'Daybook 9.0.0' })),
        'a later version of Daybook wrote it (Daybook 9.0.0, format 2)',
      ],
      ['a header with other types', async () => pack(changed({ tables: [{ name: 1 }] })), 'its backup.json is invalid'],
      ['an unknown kind of secrets', async () => pack(changed({ secrets: 'rot13' })), 'its backup.json is invalid'],
      [
        'a manifest of another archive',
        async () =>
          pack(
            files.map((each) =>
              each.name === 'manifest.json'
                ? { ...each, bytes: Buffer.from(each.bytes.toString().replace(/"createdAt": "\d/, '"createdAt": "1')) }
                : each,
            ),
          ),
        'its manifest.json is invalid',
      ],
    ];

    for (const [what, make, message] of CASES) {
      it(`rejects ${what}`, async () => {
        const path = join(await makeFolder(), 'archive');
        await writeFile(path, await make());
        const DATA_DIR = join(await makeFolder(), 'data');
        // The archive is rejected before a connection is opened.
        const { code, stdout, stderr } = await runDaybook(['restore', path], { DATA_DIR });
        expect([code, stdout, stderr]).to.deep.equal([1, '', `${path} cannot be used: ${message}.\n`]);
        expect(existsSync(DATA_DIR)).to.equal(false);
      });
    }

    it('rejects a change of any bit that changes the content', async () => {
      const bytes = await readFile(archive);
      const { signal } = new AbortController();
      // The header of gzip has ten bytes, of which several have no effect.
      for (let position = 10; position < bytes.length; position += 97) {
        const changed = flipped(bytes, position);
        const error = await verifyArchive(Readable.from([changed]), { signal }).then(
          () => undefined,
          (caught) => caught,
        );
        // Stored blocks are padded with bits that have no effect.
        if (error === undefined) expect(gunzipSync(changed).equals(gunzipSync(bytes)), String(position)).to.equal(true);
        else expect(error, String(position)).to.be.instanceOf(FileError);
      }
    });

    const LOADED: [what: string, make: () => Promise<Buffer>, message: RegExp][] = [
      [
        'a comment on an article that does not exist',
        consistent({}, (each) => replace(each, 'tables/comments/', /^(\d+)\t\d+/, '$1\t999')),
        /its table comments has the article_id 999, of which it has no row/,
      ],
      [
        'a comment of a member who does not exist',
        consistent({}, (each) => replace(each, 'tables/comments/', /^(\d+\t\d+\t(?:\d+|\\N))\t\d+/, '$1\t999')),
        /its table comments has the member_id 999, of which it has no row/,
      ],
      [
        'a value that the schema forbids',
        consistent({}, (each) => replace(each, 'tables/comments/', 'It blinks.', '')),
        /violates check constraint "comments_check"/,
      ],
      [
        'a migration of a later version',
        async () => consistent({ migrations: [...header().migrations, '9999-later'] }, (each) => each)(),
        /^The backup was made by a later version \(Daybook \S+\), with migrations that this version does not have: 9999-later\. Restore it with that version or a later one\.\n$/,
      ],
      [
        'other columns than those of its migrations',
        async () =>
          consistent(
            { tables: header().tables.map((table) => ({ ...table, columns: table.columns.slice(1) })) },
            (each) => each,
          )(),
        /its table \w+ has other columns than the migrations it names\.\n$/,
      ],
      [
        'a file name that is not that of an image',
        consistent({}, (each) => ({ ...each, name: each.name.replace(/^images\/.+/, 'images/index.html') })),
        /it contains index\.html, which is not the name of an image\.\n$/,
      ],
    ];

    let DATABASE_URL: string;
    before(async () => {
      DATABASE_URL = await emptyDatabase('daybook_rejected');
    });
    for (const [what, make, message] of LOADED) {
      it(`changes nothing for ${what}`, async () => {
        const path = join(await makeFolder(), 'archive');
        await writeFile(path, await make());
        const DATA_DIR = join(await makeFolder(), 'data');
        const { code, stdout, stderr } = await runDaybook(['restore', path], { DATABASE_URL, DATA_DIR });
        expect([code, stdout]).to.deep.equal([1, '']);
        expect(stderr).to.match(message);
        expect(await objectsIn(DATABASE_URL)).to.deep.equal([]);
        expect(existsSync(DATA_DIR)).to.equal(false);
      });
    }
  });

  it('prints what an archive contains, without a database', async () => {
    const { code, stdout, stderr } = await runDaybook(['restore', archive, '--verify'], {
      DATABASE_URL: 'postgres://nowhere.invalid/none',
    });
    expect([code, withoutProgress(stderr)]).to.deep.equal([0, '']);
    expect(stdout).to.match(
      /^The archive is complete and undamaged\.\nMade by Daybook \S+ at \S+Z, from PostgreSQL 1\d\.\d, after the migration \d{4}\S*\.\nIt contains 2 members, 1 article, 2 comments and 1 image file, \d+ jobs, and secrets without encryption \(\d\.\d MB\)\.\n$/,
    );
  });

  it('rejects a database with content, of another program, or in use by a service', async () => {
    const rejection = async (DATABASE_URL: string) => {
      const before = await stateOf(DATABASE_URL);
      const { code, stderr } = await runDaybook(['restore', archive], { DATABASE_URL, DATA_DIR: await makeFolder() });
      expect(code).to.equal(1);
      expect(await stateOf(DATABASE_URL)).to.deep.equal(before);
      return stderr;
    };
    expect(await rejection(url)).to.equal(
      'The database is not empty: it has 2 members and 1 articles. Restore into an empty database.\n',
    );
    const other = await emptyDatabase('daybook_other');
    await execute(['create table tags (x int)', 'create table migrations (y text)'], other);
    expect(await rejection(other)).to.equal(
      'The database has tables of another program (migrations, tags). Restore into an empty database.\n',
    );
    const used = new URL(await freshDatabase('daybook_used'));
    used.searchParams.set('application_name', 'daybook');
    const service = new pg.Client({ connectionString: used.href });
    await service.connect();
    expect(await rejection(used.href.split('?')[0] ?? '')).to.equal(
      'The service uses this database: stop it, and run the command again.\n',
    );
    await service.end();
  });

  it('leaves the tables and functions of another program unchanged', async () => {
    const DATABASE_URL = await freshDatabase('daybook_shared');
    await execute(
      ['create table guests (id int)', 'create function double(int) returns int return $1 * 2'],
      DATABASE_URL,
    );
    const DATA_DIR = await makeFolder();
    const { code, stderr } = await runDaybook(['restore', archive], { DATABASE_URL, DATA_DIR });
    expect(code, stderr).to.equal(0);
    await execute(['drop table guests', 'drop function double(int)'], DATABASE_URL);
    expect(await stateOf(DATABASE_URL)).to.deep.equal(await stateOf(url));
    const path = join(DATA_DIR, 'journal.tar.gz');
    await execute(['create table guests ()', 'insert into guests default values'], DATABASE_URL);
    expect((await runDaybook(['backup', path], { DATABASE_URL, DATA_DIR })).code).to.equal(0);
    const empty = await emptyDatabase('daybook_shared');
    const again = await runDaybook(['restore', path], { DATABASE_URL: empty, DATA_DIR });
    expect(again.code, again.stderr).to.equal(0);
    expect(again.stderr).to.contain('The table guests was not restored: it does not belong to Daybook.\n');
  });

  it('removes the schedules of drafts, unless they are to be kept', async () => {
    const DATA_DIR = await makeFolder();
    const path = join(DATA_DIR, 'scheduled.tar.gz');
    const source = await emptyDatabase('daybook_scheduled');
    expect((await runDaybook(['restore', archive], { DATABASE_URL: source, DATA_DIR })).code).to.equal(0);
    await execute(
      [
        "insert into drafts (member_id, title, publish_at) values (1, 'Soon', now() + interval '1 day'), (1, 'Late', now() - interval '1 day')",
        "insert into drafts (member_id, title) values (1, 'Never')",
        'insert into announcements (article_id) select min(id) from all_articles having count(*) > 0',
      ],
      source,
    );
    expect((await runDaybook(['backup', path], { DATABASE_URL: source, DATA_DIR })).code).to.equal(0);
    const restored = async (...options: string[]) => {
      const DATABASE_URL = await emptyDatabase('daybook_schedules');
      const { code, stderr } = await runDaybook(['restore', path, ...options], { DATABASE_URL, DATA_DIR });
      expect(code, stderr).to.equal(0);
      const { rows } = await stateOf(DATABASE_URL);
      return { drafts: rows.drafts, announcements: rows.announcements, stderr };
    };
    const { drafts, announcements } = (await stateOf(source)).rows;
    const kept = await restored('--keep-schedules');
    expect([kept.drafts, kept.announcements]).to.deep.equal([drafts, announcements]);
    expect(kept.stderr).to.not.contain('schedules');
    const removed = await restored();
    expect(removed.stderr).to.contain('Removed the schedules of 2 drafts: ');
    await execute(['update drafts set publish_at = null', 'delete from announcements'], source);
    const { rows } = await stateOf(source);
    expect([removed.drafts, removed.announcements]).to.deep.equal([rows.drafts, rows.announcements]);
    expect(removed.announcements).to.not.equal(announcements);
  });

  describe('when it is interrupted', () => {
    it('by SIGTERM, nothing is left, also of a new embedded database', async () => {
      const DATA_DIR = join(await makeFolder(), 'data');
      await chmod(join(DATA_DIR, '..'), 0o755);
      expect(await interruptRestore(archive, { DATA_DIR }, 'SIGTERM')).to.match(
        /The command was stopped: nothing was changed\.\n$/,
      );
      expect(await readdir(DATA_DIR).catch(() => [])).to.deep.equal([]);
      const DATABASE_URL = await emptyDatabase('daybook_interrupted');
      await interruptRestore(archive, { DATABASE_URL, DATA_DIR }, 'SIGTERM');
      expect(await objectsIn(DATABASE_URL)).to.deep.equal([]);
      expect(await readdir(join(DATA_DIR, 'images')).catch(() => [])).to.deep.equal([]);
    });

    it('by SIGKILL, the database is unchanged, and the next restore removes the temporary files', async () => {
      const DATA_DIR = await makeFolder();
      const DATABASE_URL = await emptyDatabase('daybook_killed');
      await interruptRestore(archive, { DATABASE_URL, DATA_DIR }, 'SIGKILL');
      await until(async () => (await objectsIn(DATABASE_URL)).length === 0);
      const [staging] = await readdir(join(DATA_DIR, 'images'));
      expect(staging).to.match(/^restore-\d+-[0-9a-f]{8}$/);
      expect(existsSync(join(DATA_DIR, 'secrets.json'))).to.equal(false);
      const { code, stderr } = await runDaybook(['restore', archive], { DATABASE_URL, DATA_DIR });
      expect(code, stderr).to.equal(0);
      expect(await stateOf(DATABASE_URL)).to.deep.equal(await stateOf(url));
      expect((await readdir(join(DATA_DIR, 'images'))).sort()).to.deep.equal(
        (await readdir(join(app.dataDir, 'images'))).sort(),
      );
    });
  });

  const EMBEDDED_VERSION = '18';
  /** Where the packages of Debian have the programs of each version. */
  const PACKAGES = '/usr/lib/postgresql';
  const version = existsSync(PACKAGES) ? (readdirSync(PACKAGES).find((name) => name !== EMBEDDED_VERSION) ?? '') : '';
  const PROGRAMS = join(PACKAGES, version);

  it('replaces an embedded database of another major version of PostgreSQL', async function () {
    if (!version && process.env.CI) throw new Error('CI needs postgresql');
    if (!version) this.skip();
    const DATA_DIR = await makeFolder();
    await chmod(DATA_DIR, 0o755);
    const { databasePassword: password } = await loadSecrets(DATA_DIR);
    const binaries = { folder: PROGRAMS, version: `${version}.0` };
    await makeCluster(DATA_DIR, password);
    const old = await startEmbeddedPostgres({ dataDir: DATA_DIR, password, binaries });
    const loaded = await runDaybook(['restore', archive, '--without-secrets'], { DATABASE_URL: old.url, DATA_DIR });
    expect(loaded.code, loaded.stderr).to.equal(0);
    const exported = await publicExport(old.url);
    await old.stop();
    const advice =
      'Migrate it with "npx daybook backup journal.tar.gz" and "npx daybook restore journal.tar.gz" (docs/backup.md).';
    expect((await runDaybook(['doctor'], { DATA_DIR })).stdout).to.contain(advice);
    expect((await runDaybook(['migrate'], { DATA_DIR })).stderr).to.contain(advice);
    const path = join(DATA_DIR, 'journal.tar.gz');
    expect((await runDaybook(['backup', path, '--postgres', DATA_DIR], { DATA_DIR })).stderr).to.match(
      new RegExp(
        `needs the programs of PostgreSQL ${version}, which are not in \\S+\\. Install them \\(on Debian "apt-get install postgresql-${version}"`,
      ),
    );
    const backup = await runDaybook(['backup', path], { DATA_DIR });
    expect(backup.code, backup.stderr).to.equal(0);
    const restored = await runDaybook(['restore', path], { DATA_DIR });
    expect(restored.code, restored.stderr).to.equal(0);
    expect(restored.stderr).to.contain(
      `The database of PostgreSQL ${version} is now in ${DATA_DIR}/postgres-${version}: `,
    );
    const again = await runDaybook(['export'], { DATA_DIR, PUBLIC_URL: 'https://journal.test' });
    expect(again.stdout).to.equal(exported);
  });

  async function makeCluster(dataDir: string, password: string) {
    const account = await chooseOsUser(dataDir);
    const cluster = join(dataDir, 'postgres');
    const passwordFile = join(dataDir, 'password');
    await mkdir(cluster, { mode: 0o700 });
    await writeFile(passwordFile, password);
    if (account) for (const path of [cluster, passwordFile]) await chown(path, account.uid, account.gid);
    const args = ['-D', cluster, '-U', 'daybook', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'];
    await promisify(execFile)(`${PROGRAMS}/bin/initdb`, [...args, '--locale=C.UTF-8'], processOptions(account));
  }
});

async function unpacked(path: string): Promise<File[]> {
  const files: File[] = [];
  for await (const { name, content } of readTar(createReadStream(path).pipe(createGunzip()))) {
    files.push({ name, bytes: await readAll(content) });
  }
  return files;
}

function pack(files: readonly File[]): Buffer {
  return gzipSync(Buffer.concat([...files.flatMap(tarred), TAR_END]));
}

function tarred({ name, bytes }: File): Buffer[] {
  return [tarHeader(name, bytes.length, new Date(0)), bytes, tarPadding(bytes.length)];
}

/** Inverts a bit of the byte at a position, which counts from the end if it is negative. */
function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = position < 0 ? bytes.length + position : position;
  changed.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return changed;
}

function replace(file: File, start: string, found: string | RegExp, replacement: string): File {
  if (!file.name.startsWith(start)) return file;
  return { ...file, bytes: Buffer.from(file.bytes.toString().replace(found, replacement)) };
}
