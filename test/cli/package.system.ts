/** The package that `npm pack` makes: installed without install scripts, used as README.md shows, and replaced while the service runs. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PEER_NODE } from '../../bench/peers.js';
import { ROOT, startDaybook } from '../support/cli.js';
import { readDocument } from '../support/documents.js';
import { pause } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { freePort } from '../support/server.js';
import { requireDocumentedCodes, runInShell, shellOf } from '../support/shell.js';

const run = promisify(execFile);
const BINARY = 'node_modules/.bin/daybook';
/** Of a user that PostgreSQL may run as, and that is in /etc/passwd. */
const NOBODY = 65_534;

describe('The npm package', function () {
  this.timeout(300_000);
  const isRoot = process.getuid?.() === 0;
  let registry: Registry;
  /** Of an ordinary user. */
  let home: string;
  /** Empty before the installation. */
  let journal: string;
  let tarball: string;
  let environment: Record<string, string>;
  let service: ServiceProcess | undefined;

  before(async () => {
    registry = await startRegistry();
    home = await makeFolder();
    await chmod(home, 0o755);
    journal = join(home, '나의 빈 폴더');
    await mkdir(journal);
    tarball = join(home, 'daybook.tgz');
    await pack(ROOT, tarball);
    if (isRoot) for (const folder of [home, journal]) await chown(folder, NOBODY, NOBODY);
    environment = {
      HOME: home,
      npm_config_cache: join(home, 'npm cache'),
      npm_config_registry: registry.url,
      npm_config_ignore_scripts: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    };
    const { code, stderr } = await ordinarily(['npm', 'install', tarball]).result;
    expect(code, stderr).to.equal(0);
  });
  after(async () => {
    service?.child.kill('SIGKILL');
    await service?.ended;
    await registry.close();
  });

  const asUser = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

  const ordinarily = (program: string[], args: string[] = [], cwd = journal) =>
    startDaybook(args, environment, { program: [...asUser, ...program], cwd });

  const daybook = async (...args: string[]) => {
    const { code, stdout, stderr } = await ordinarily([BINARY], args).result;
    expect(code, `${args} ${stdout} ${stderr}`).to.equal(0);
    return stdout;
  };

  /** Starts it in the folder, with the data in this folder. */
  async function start(program = [BINARY], cwd = journal, user = asUser): Promise<ServiceProcess> {
    const PORT = String(await freePort());
    const started = await startProcess(
      { ...environment, PORT, HOST: '127.0.0.1' },
      () => [...user, ...program, 'start'],
      cwd,
    );
    await started.waitForOutput('Daybook is ready.');
    return started;
  }

  async function stop(started: ServiceProcess): Promise<void> {
    started.child.kill('SIGTERM');
    expect(await started.ended, started.output.stderr).to.equal(0);
  }

  it('contains what is needed to run and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const paths = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    const folders = new Set(paths.map((path) => path.replace(/^(dist\/\w+|(?!dist)\w+)\/.*/, '$1')));
    expect([...folders].sort()).to.deep.equal([
      ...['LICENSE', 'README.md', 'bin', 'dist/assets', 'dist/migrations', 'dist/src', 'migrations', 'package.json'],
      ...['public', 'sample'],
    ]);
    expect(paths.filter((path) => /\.(?:ts|map|tsbuildinfo)$|test/.test(path))).to.deep.equal([]);
    const { scripts } = JSON.parse(await readFile(join(journal, 'node_modules/daybook/package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /install|prepare$/.test(name))).to.deep.equal([]);
  });

  it('serves the first session of README.md in an empty folder, to an ordinary user', async () => {
    service = await start();
    const document = await readDocument('README.md');
    const [, section = ''] = /^## First session\n([\s\S]*?)^## /m.exec(document) ?? [];
    const { PATH = '' } = process.env;
    const shell = { ...environment, PATH, FOLDER: journal, DAYBOOK: [...asUser, 'env', 'npx', 'daybook'].join(' ') };
    const output = await runInShell(shellOf(section), shell, service.url);
    requireDocumentedCodes(output, section);
    expect(output)
      .to.include('반갑습니다')
      .and.include('<title>')
      .and.match(/"profileImg":"\S+\.webp"/);
    expect(await readdir(join(journal, '.daybook'))).to.include.members(['postgres', 'images', 'secrets.json']);
    expect(await daybook('doctor')).to.not.match(/^[✗!]/m);
  });

  it('serves the pages whose files other packages contain', async () => {
    for (const path of ['/docs/swagger-ui-bundle.js', '/graphiql/graphiql.js'])
      expect((await fetch(service?.url + path)).status, path).to.equal(200);
  });

  it('names the command that installs the packages of optional functions', async () => {
    const bucket = ['STORAGE=s3', 'S3_BUCKET=b', 'S3_ACCESS_KEY_ID=id', 'S3_SECRET_ACCESS_KEY=key'];
    for (const [settings, name] of [
      [['OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1'], '@opentelemetry/sdk-trace-node'],
      [bucket, '@aws-sdk/client-s3'],
    ] as const) {
      const { code, stderr } = await ordinarily(['env', ...settings, BINARY], ['start', '--port', '0']).result;
      expect(code, stderr).to.equal(1);
      expect(stderr)
        .to.match(/ needs packages that are not installed. Run "npm install @/)
        .and.include(` ${name}@^`);
    }
  });

  it('backs up, and restores in another folder while the service runs', async () => {
    await daybook('backup', 'journal.backup');
    const other = join(home, 'other');
    await ordinarily(['mkdir', other]).result;
    const restored = await ordinarily([join(journal, BINARY)], ['restore', join(journal, 'journal.backup')], other)
      .result;
    expect(restored.code, restored.stderr).to.equal(0);
    const second = await start([join(journal, BINARY)], other);
    expect(await comments(second)).to.deep.equal(await comments(service as ServiceProcess));
    await stop(second);
    // The first one has the port.
    const port = new URL(service?.url ?? '').port;
    const { code, stderr } = await ordinarily(
      [join(journal, BINARY)],
      ['start', '--port', port, '--host', '127.0.0.1'],
      other,
    ).result;
    expect(code).to.equal(1);
    expect(stderr).to.include(`Port ${port} is in use by a running Daybook`);
  });

  it('keeps serving while it is replaced by a later version, whose migrations the next start applies', async () => {
    const running = service as ServiceProcess;
    const later = await laterVersion();
    const installation = ordinarily(['npm', 'install', later]).result;
    let isInstalled = false;
    void installation.then(() => {
      isInstalled = true;
    });
    const before = await comments(running);
    for (; !isInstalled; await pause(50)) expect(await comments(running)).to.deep.equal(before);
    expect((await installation).code).to.equal(0);
    expect(await daybook('--version')).to.equal('999.0.0\n');
    // Whose code was loaded neither before nor during the installation.
    const path = '/graphql?query={articles(size:1){contents{contentHtml}}}';
    for (const unread of ['/graphiql/json.worker.js', path, '/api/articles?keyword=owl', '/feed.xml'])
      expect((await fetch(running.url + unread)).status, unread).to.equal(200);
    await stop(running);
    expect(await daybook('migrate', '--dry-run')).to.match(/9999-later .*pending/);
    service = await start();
    expect(await comments(service)).to.deep.equal(before);
    expect(await daybook('migrate', '--dry-run')).to.not.include('pending');
    await stop(service);
  });

  it('names the folder that it cannot write to', async () => {
    const folder = join(home, 'closed');
    await ordinarily(['mkdir', '--mode=0500', folder]).result;
    const { code, stderr } = await ordinarily([join(journal, BINARY)], ['start'], folder).result;
    expect(code).to.equal(1);
    expect(stderr)
      .to.include(`DATA_DIR cannot be used: ${folder} (owned by `)
      .and.include('Set DATA_DIR to a folder that');
  });

  it('runs from a global installation by root, made from the cache without network access', async function () {
    if (!isRoot) this.skip();
    await registry.close();
    const prefix = await makeFolder();
    const install = ['npm', 'install', '--global', `--prefix=${prefix}`, '--offline', tarball];
    const { code, stderr } = await startDaybook([], environment, { program: install, cwd: journal }).result;
    expect(code, stderr).to.equal(0);
    const folder = await makeFolder();
    const program = [join(prefix, 'bin/daybook')];
    const started = await start(program, folder, []);
    expect(await readdir(folder)).to.deep.equal(['.daybook']);
    await stop(started);
  });

  it('runs with another version of Node', async function () {
    if (!existsSync(PEER_NODE)) this.skip();
    // The repository may be accessible to root only.
    const node = join(home, 'node');
    await copyFile(PEER_NODE, node);
    const started = await start([node, 'node_modules/daybook/bin/daybook.js']);
    expect((await fetch(`${started.url}/api/articles`)).status).to.equal(200);
    await stop(started);
  });

  /** A package of a later version with a migration. */
  async function laterVersion(): Promise<string> {
    const folder = await makeFolder();
    await run('tar', ['-xzf', tarball, '-C', folder]);
    const root = join(folder, 'package');
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    await writeFile(join(root, 'package.json'), JSON.stringify({ ...manifest, version: '999.0.0' }));
    const migration = { name: '9999-later', locks: {}, up: ['create table later ()'] };
    await writeFile(
      join(root, 'dist/migrations/9999-later.js'),
      `export const migration = ${JSON.stringify(migration)};`,
    );
    const later = join(home, 'later.tgz');
    await pack(root, later);
    return later;
  }
});

async function comments({ url }: ServiceProcess): Promise<unknown> {
  const response = await fetch(`${url}/api/articles/1/comments`);
  return ((await response.json()) as { data: { contents: unknown } }).data.contents;
}

async function pack(folder: string, file: string): Promise<void> {
  const target = await makeFolder();
  await run('npm', ['pack', '--ignore-scripts', `--pack-destination=${target}`], { cwd: folder });
  const [name = ''] = await readdir(target);
  await copyFile(join(target, name), file);
}
