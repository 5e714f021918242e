/** The container image: built from the Dockerfile, started as its user on a read-only root, and used as README.md shows. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { buildImage, type Image } from '../support/container.js';
import { readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { describeWith } from '../support/programs.js';
import { freePort } from '../support/server.js';
import { requireDocumentedCodes, runInShell, shellOf } from '../support/shell.js';

/** Without its base; docs/decisions/container.md has its parts. */
const MAX_MEGABYTES = 220;

describeWith(['buildah', 'mmdebstrap', 'util-linux'], 'The container image', function () {
  this.timeout(900_000);
  let image: Image;
  let folder: string;
  let container: ServiceProcess;

  before(async function () {
    // Only root may mount file systems.
    if (process.getuid?.() !== 0 && !process.env.CI) this.skip();
    folder = await makeFolder();
    image = await buildImage(folder);
    await image.createVolume(join(folder, 'volume'));
    container = await start();
  });
  after(async () => {
    container?.child.kill('SIGKILL');
    await container?.ended;
    await image?.remove();
  });

  async function start(): Promise<ServiceProcess> {
    const PORT = String(await freePort());
    const command = image.inNewContainer(image.command, [`PORT=${PORT}`, 'HOST=127.0.0.1'], join(folder, 'volume'));
    const started = await startProcess({ PORT }, () => command);
    await started.waitForOutput('Daybook is ready.');
    return started;
  }

  /** The command line of a command in the running container. */
  function inside(command: readonly string[], user?: string): [program: string, ...args: string[]] {
    const [program = '', ...args] = image.inContainerOf(container.child.pid ?? 0, command, user);
    return [program, ...args];
  }

  async function execute(command: readonly string[], user?: string): Promise<string> {
    const [program, ...args] = inside(command, user);
    return (await promisify(execFile)(program, args)).stdout;
  }

  it(`adds at most ${MAX_MEGABYTES} MB to its base`, () => {
    expect(image.addedMegabytes).to.be.above(50).and.below(MAX_MEGABYTES);
  });

  it('runs as an ordinary user, who can write to the volume only', async () => {
    const status = await readFile(`/proc/${container.child.pid}/status`, 'utf8');
    expect(status).to.match(/^Uid:\t1000\t1000\t1000\t1000$/m);
    await execute(['touch', '/data/written']);
    const denied = await execute(['touch', '/app/written'], 'root').catch((error: Error) => error);
    expect(String(denied)).to.include('Read-only file system');
  });

  it('passes its health check', async () => {
    await execute(['env', `PORT=${new URL(container.url).port}`, ...image.healthcheck]);
    const unused = String(await freePort());
    const failed = await execute(['env', `PORT=${unused}`, ...image.healthcheck]).catch((error: unknown) => error);
    expect(failed).to.include({ code: 1 });
  });

  it('serves the first session of README.md, and the same content after a restart', async () => {
    const document = await readDocument('README.md');
    const [, section = ''] = /^## First session\n([\s\S]*?)^## /m.exec(document) ?? [];
    const commands = shellOf(section);
    expect(commands).to.have.length.above(5);
    const { PATH = '', HOME = '' } = process.env;
    const { port } = new URL(container.url);
    const DAYBOOK = inside(['env', `PORT=${port}`, 'node', 'bin/daybook.js']).join(' ');
    const output = await runInShell(commands, { PATH, HOME, FOLDER: folder, DAYBOOK }, container.url);
    requireDocumentedCodes(output, section);
    expect(output)
      .to.include('반갑습니다')
      .and.include('<title>')
      .and.match(/"profileImg":"\S+\.webp"/);
    container.child.kill('SIGTERM');
    expect(await container.ended).to.equal(0);
    container = await start();
    const comments = await fetch(`${container.url}/api/articles/1/comments`);
    expect(await comments.text()).to.include('"content":"반갑습니다"');
    // Of packages that only the build has.
    for (const path of ['/graphiql/graphiql.js', '/docs/swagger-ui-bundle.js'])
      expect((await fetch(container.url + path)).status, path).to.equal(200);
  });
});
