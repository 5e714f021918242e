/** `daybook backup` and `restore`: a round trip restores everything; folders keep the newest backups. */
import { readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../src/platform/config/index.js';
import { loadSecrets, readSecrets } from '../../../src/platform/config/secrets.js';
import { openImageStore } from '../../../src/services/images/store.js';
import { useApp } from '../../support/app.js';
import { omittedRowsIn, ownedDatabase, publicExport, stateOf } from '../../support/backup.js';
import { buildArticle, buildImage } from '../../support/build.js';
import { runDaybook, startDaybook } from '../../support/cli.js';
import { emptyDatabase, execute, freshDatabase } from '../../support/database.js';
import { buildJournal } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { startS3 } from '../../support/s3.js';
import { until } from '../../support/until.js';

/** Lines that a slow run writes. */
const PROGRESS = /^(?:Backing up|Verifying|Restoring): .*\n/gm;
const PASSPHRASE = 'a lamp in the tower';

const BACKUP_NAME = /^daybook-\d{8}T\d{6}Z\.tar\.gz$/;

describe('daybook backup', function () {
  this.timeout(180_000);

  const app = useApp();
  let url: string;
  let folder: string;
  let archive: string;
  const run = async (args: string[], environment: Record<string, string> = {}) => {
    const result = await runDaybook(args, { DATABASE_URL: url, DATA_DIR: app.dataDir, ...environment });
    return { ...result, stderr: result.stderr.replace(PROGRESS, '') };
  };

  before(async () => {
    url = process.env.TEST_DATABASE_URL ?? '';
    folder = await makeFolder();
    archive = join(folder, 'journal.tar.gz');
    await loadSecrets(app.dataDir);
    const { article, mina } = await buildJournal(app);
    const image = await buildImage(app.url, mina);
    const content = `Line\n\\N\\.\n\\.\n🦉 ![](${image.url})`;
    await buildArticle(app.url, { title: 'A "quote" and \\N', content, tags: ['빛'], visibility: 'PRIVATE' }, mina);
    await execute(
      [
        `update members set nickname_skeleton = 'skeleton' || id`,
        `insert into rate_limits values ('a key', 3, 9000000000000)`,
        `insert into view_readers values (now(), 'a network', 'a reader')`,
        'update article_counts set views = 3',
        `select graphile_worker.add_job('remove-unused-image', '{"key": "a"}', run_at => '2099-01-01 00:00:01.234567Z',
           job_key => 'key 1', priority => 3, flags => array['x', 'y'], queue_name => 'images', max_attempts => 7)`,
        `select graphile_worker.reschedule_jobs(array_agg(id), attempts => 4) from graphile_worker.jobs where key = 'key 1'`,
        `select graphile_worker.permanently_fail_jobs(array[(graphile_worker.add_job('remove-unused-image', '{"key": "b"}')).id], 'no tab\there')`,
        `delete from comments where article_id = ${article.id} and parent_id is not null`,
      ],
      url,
    );
    const { code, stdout, stderr } = await run(['backup', archive, '--verify']);
    expect([code, stdout], stderr).to.deep.equal([0, '']);
    expect(stderr).to.match(
      /^Backed up 2 members, 2 articles, 1 comment and 3 image files to \S+ \(0\.\d MB\)\. The archive was verified\.\nThe archive contains the secret of access tokens without encryption: /,
    );
  });

  it('writes a file that only its owner can read, and no other file', async () => {
    expect((await stat(archive)).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder)).to.deep.equal(['journal.tar.gz']);
  });

  it('is restored with all definitions, rows, sequences, jobs, images and secrets, without a superuser', async () => {
    const DATABASE_URL = await ownedDatabase('daybook_restored');
    const DATA_DIR = await makeFolder();
    const { code, stdout, stderr } = await run(['restore', archive], { DATABASE_URL, DATA_DIR });
    expect([code, stdout, stderr]).to.deep.equal([
      0,
      'Restored 2 members, 2 articles, 1 comment and 3 image files.\n',
      '',
    ]);
    expect(await stateOf(DATABASE_URL)).to.deep.equal(await stateOf(url));
    expect([await omittedRowsIn(url), await omittedRowsIn(DATABASE_URL)]).to.deep.equal([3, 0]);
    expect(await publicExport(DATABASE_URL)).to.equal(await publicExport(url));
    expect((await readSecrets(DATA_DIR)).jwtSecret).to.equal((await readSecrets(app.dataDir)).jwtSecret);
    const names = (await readdir(join(app.dataDir, 'images'))).sort();
    expect((await readdir(join(DATA_DIR, 'images'))).sort())
      .to.deep.equal(names)
      .and.to.have.length(3);
    for (const name of names) {
      const [original, restored] = await Promise.all(
        [app.dataDir, DATA_DIR].map((each) => readFile(join(each, 'images', name))),
      );
      expect(restored).to.deep.equal(original);
    }
  });

  it('is restored into a database in which a service was started, and from a bucket to a folder and back', async () => {
    const s3 = await startS3();
    try {
      const bucket = { STORAGE: 's3', S3_BUCKET: 'restored', ...s3.environment };
      s3.createBucket('restored');
      const first = { DATABASE_URL: await freshDatabase('daybook_started'), DATA_DIR: await makeFolder(), ...bucket };
      expect((await run(['restore', archive], first)).code).to.equal(0);
      expect(await stateOf(first.DATABASE_URL)).to.deep.equal(await stateOf(url));
      const second = join(folder, 'second.tar.gz');
      expect((await run(['backup', second], first)).code).to.equal(0);
      const last = { DATABASE_URL: await emptyDatabase('daybook_last'), DATA_DIR: await makeFolder() };
      expect((await run(['restore', second], last)).stdout).to.match(/ and 3 image files\.\n$/);
      expect((await readdir(join(last.DATA_DIR, 'images'))).sort()).to.deep.equal(
        (await readdir(join(app.dataDir, 'images'))).sort(),
      );
      const store = await openImageStore(loadConfig(first).imageStore);
      const names: string[] = [];
      for await (const name of store.names()) names.push(name);
      expect(names).to.have.length(3);
    } finally {
      await s3.stop();
    }
  });

  it('encrypts the secrets with a passphrase, without which they are not restored', async () => {
    const path = join(folder, 'encrypted.tar.gz');
    const { stderr } = await run(['backup', path], { BACKUP_PASSPHRASE: PASSPHRASE });
    expect(stderr).to.match(/^Backed up [^\n]+\n$/);
    const file = join(folder, 'passphrase');
    const restore = async (text: string, ...options: string[]) => {
      await writeFile(file, text);
      const given = text ? ['--passphrase-file', file] : [];
      const environment = { DATABASE_URL: await emptyDatabase('daybook_encrypted'), DATA_DIR: await makeFolder() };
      const result = await run(['restore', path, ...given, ...options], environment);
      const { jwtSecret } = await readSecrets(environment.DATA_DIR).catch(() => ({ jwtSecret: undefined }));
      return [result.code, result.stderr, jwtSecret === (await readSecrets(app.dataDir)).jwtSecret];
    };
    expect(await restore(`${PASSPHRASE}\n`)).to.deep.equal([0, '', true]);
    expect(await restore('')).to.deep.equal([
      1,
      'The secrets are encrypted: set --passphrase-file, or --without-secrets to restore without them.\n',
      false,
    ]);
    expect(await restore('another passphrase')).to.deep.equal([
      1,
      'The secrets cannot be decrypted: the passphrase is wrong, or the archive was changed.\n',
      false,
    ]);
    expect(await restore('too short')).to.deep.equal([
      1,
      'The passphrase must have at least 12 characters, not 9.\n',
      false,
    ]);
    expect(await restore('', '--without-secrets')).to.deep.equal([
      0,
      'The secret of access tokens was not restored: all members have to log in again.\n',
      false,
    ]);
  });

  it('passes through standard output and input', async () => {
    const program = ['bash', '-c', `"$0" "$1" backup - | DATABASE_URL="$2" DATA_DIR="$3" "$0" "$1" restore -`];
    const DATABASE_URL = await emptyDatabase('daybook_piped');
    const main = `${process.cwd()}/dist/src/cli/main.js`;
    const args = [process.execPath, main, DATABASE_URL, await makeFolder()];
    const { result } = startDaybook(args, { DATABASE_URL: url, DATA_DIR: app.dataDir }, { program });
    expect((await result).stdout).to.equal('Restored 2 members, 2 articles, 1 comment and 3 image files.\n');
    expect((await stateOf(DATABASE_URL)).rows).to.deep.equal((await stateOf(url)).rows);
  });

  it('in a folder keeps the newest backups, and no other file is removed', async () => {
    const backups = await makeFolder();
    const old = Array.from({ length: 4 }, (_, day) => `daybook-2026010${day + 1}T000000Z.tar.gz`);
    for (const name of [...old, 'notes.txt', 'daybook-20260101T000000Z.tar.gz.99999999.part']) {
      await writeFile(join(backups, name), '');
    }
    expect((await run(['backup', backups, '--keep', '3'])).code).to.equal(0);
    const names = (await readdir(backups)).sort();
    expect(names.slice(0, 2)).to.deep.equal(old.slice(2));
    expect(names[2]).to.match(BACKUP_NAME);
    expect(names.slice(3)).to.deep.equal(['notes.txt']);
  });

  it('in a folder with files that are dated in the future keeps the new backup, and ignores and reports those', async () => {
    const backups = await makeFolder();
    const future = ['daybook-20990101T000000Z.tar.gz', 'daybook-20990102T000000Z.tar.gz'];
    const old = 'daybook-20250101T000000Z.tar.gz';
    for (const name of [...future, old]) await writeFile(join(backups, name), '');
    const { code, stderr } = await run(['backup', backups, '--keep', '1']);
    expect(code, stderr).to.equal(0);
    for (const name of future)
      expect(stderr).to.contain(`${join(backups, name)} is dated in the future, and is ignored.\n`);
    const names = (await readdir(backups)).sort();
    expect(names.slice(1)).to.deep.equal(future);
    expect(names[0]).to.match(BACKUP_NAME).and.not.equal(old);
    const regular = await runDaybook(
      ['backup', backups, '--every', '1d'],
      { DATABASE_URL: url, DATA_DIR: app.dataDir },
      'the next one at ',
    );
    const [, dueAt = ''] = /the next one at (\S+Z)\./.exec(regular.stderr) ?? [];
    expect(Date.parse(dueAt)).to.be.within(Date.now(), Date.now() + 24 * 3_600_000);
  });

  it('replaces a file with --overwrite only', async () => {
    const path = join(await makeFolder(), 'existing.tar.gz');
    await writeFile(path, 'an archive');
    expect((await run(['backup', path])).code).to.equal(1);
    expect(await readFile(path, 'utf8')).to.equal('an archive');
    expect((await run(['backup', path, '--overwrite', '--verify'])).code).to.equal(0);
  });

  it('repeats with --every, also after a failure and a restart, and ends cleanly at SIGTERM', async () => {
    const backups = join(await makeFolder(), 'created');
    const args = ['backup', backups, '--every', '1d', '--keep', '2'];
    const broken = { DATABASE_URL: url.replace(/\/[^/]+$/, '/daybook_missing'), DATA_DIR: app.dataDir };
    const failed = await runDaybook(args, broken, 'The next attempt is at ');
    expect(failed.code).to.equal(0);
    expect(failed.stderr).to.match(
      / The backup failed: The database at \S+ \(DATABASE_URL\) cannot be used: .+\n.+ Stopped\.\n$/,
    );
    expect(await readdir(backups)).to.deep.equal([]);
    const own = { DATABASE_URL: url, DATA_DIR: app.dataDir };
    const { child, result } = startDaybook(args, own);
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    await until(async () => stderr.includes(' Backed up 2 members'));
    child.kill('SIGTERM');
    expect((await result).code).to.equal(0);
    expect(stderr).to.match(/ Stopped\.\n$/);
    const [name = ''] = await readdir(backups);
    expect((await runDaybook(args, own, 'the next one at ')).stderr).to.not.contain('Backed up');
    const old = 'daybook-20260101T000000Z.tar.gz';
    await rename(join(backups, name), join(backups, old));
    await utimes(join(backups, old), 0, 0);
    await runDaybook(args, own, ' Backed up 2 members');
    expect(await readdir(backups)).to.have.length(2);
  });

  it('exits with 1 or 2 and one sentence for invalid arguments and failures', async () => {
    const messages: [string[], number, string][] = [
      [['backup', archive, '--keep', '3'], 1, `--keep needs a folder, but ${archive} is not one.`],
      [
        ['backup', join(folder, 'none', 'a.tar.gz')],
        1,
        `${join(folder, 'none', 'a.tar.gz')} cannot be written: its folder does not exist.`,
      ],
      [['backup', archive], 1, `${archive} exists already: choose another name, or replace it with --overwrite.`],
      [['backup', archive, '--every', '1d'], 1, `--every needs a folder, but ${archive} is not one.`],
      [['backup', '-', '--every', '1d'], 1, '--every needs a folder, but - is not one.'],
      [['backup', archive, '--every', '1y'], 2, 'Expected a duration from 1m to 366d, such as 12h or 1d.'],
      [['backup', archive, '--keep', '0'], 2, 'Expected a number from 1 to 9999.'],
      [
        ['backup', archive, '--overwrite', '--passphrase-file', join(folder, 'none')],
        1,
        `${join(folder, 'none')} cannot be read: ENOENT.`,
      ],
    ];
    for (const [args, code, message] of messages) {
      const result = await run(args);
      expect([result.code, result.stdout]).to.deep.equal([code, '']);
      expect(result.stderr).to.contain(message);
    }
    const { stderr } = await run(['backup', archive, '--overwrite'], {
      DATABASE_URL: await emptyDatabase('daybook_without'),
    });
    expect(stderr).to.equal('The database contains no journal.\n');
  });
});
