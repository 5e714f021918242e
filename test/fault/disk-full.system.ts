/** A full disk: a small file system in memory, which only the process of the service and its embedded PostgreSQL see. */
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { createMessage } from '../../src/platform/messages/message.js';
import { buildMember } from '../support/build.js';
import { call } from '../support/client.js';
import { serverUrl } from '../support/embedded-server.js';
import { describeFault, pause, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { flat } from '../support/images.js';
import { closeLiveClients } from '../support/live.js';
import { inProgress, startLoad } from '../support/load.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { until } from '../support/until.js';

const SIZE = '256m';
const FULL_MS = 10_000;

/** @returns the command, in a namespace in which `folder` is a file system of this size */
function onSmallDisk(folder: string, command: readonly string[]): string[] {
  const mount = `mount -t tmpfs -o size=${SIZE},mode=755 none ${folder} && exec`;
  // PostgreSQL does not run as root: root keeps its other users, and any other user its own id, in a further namespace.
  if (process.getuid?.() === 0) return ['unshare', '--mount', 'sh', '-c', `${mount} "$@"`, 'sh', ...command];
  const own = `unshare --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()}`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', `${mount} ${own} "$@"`, 'sh', ...command];
}

describeFault('disk-full', function (measured) {
  this.timeout(180_000);
  let service: ServiceProcess;
  let folder: string;
  /** The folder as the service sees it. */
  let disk: string;

  before(async () => {
    folder = await makeFolder();
    const environment = { DATA_DIR: join(folder, 'data'), LIMIT_WRITES: '1000000/1h', RESPONSE_CACHE_MB: '0' };
    service = await startProcess(environment, (command) => onSmallDisk(folder, command));
    await service.waitForOutput('Daybook is ready.');
    disk = join(`/proc/${service.child.pid}/root`, folder);
  });
  after(async () => {
    closeLiveClients();
    service.child.kill('SIGTERM');
    await service.ended;
  });

  it('makes writes fail with 503, and nothing acknowledged is lost', async () => {
    const load = await startLoad([service.url], { maxMs: 15_000 });
    const { token } = await buildMember(service.url);
    await load.recovered();
    await mkdir(join(disk, 'fill'));
    const fill = join(disk, 'fill', 'file');
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1_048_576, 1);
      })(),
    );
    const failure = await pipeline(endless, createWriteStream(fill)).catch(({ code }: NodeJS.ErrnoException) => code);
    expect(failure).to.equal('ENOSPC');
    const image = filePart(await flat(640, 640).png().toBuffer());
    const json = requestPart({ title: 'With an image', content: 'x' });
    const upload = async () => call(service.url, 'POST /api/articles', { token, ...multipart([json, image]) });
    const { status, body } = await upload();
    expect([status, body?.message]).to.deep.equal([503, createMessage('diskFull').in('en')]);
    await pause(FULL_MS);
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    await rm(fill);
    const freedAt = performance.now();
    const recoveredAt = await load.recovered();
    await until(async () => (await upload()).status === 201);
    await load.stop();
    expect(load.rejected).to.not.deep.equal([]);
    expect(load.rejected.map(({ message }) => message)).to.include(createMessage('diskFull').in('en'));
    const logged = service.output.stdout.split('\n').filter((line) => line.includes('the disk is full: free space'));
    const disks = logged.map((line) => (JSON.parse(line) as { disk: string }).disk);
    expect(disks).to.include.members(['database', 'data folder']);
    const committed = inProgress(await load.verify(await serverUrl(join(disk, 'data'))));
    measured(
      `${load.rejected.length} requests 503 in ${seconds(FULL_MS)}; reads and writes ${seconds(recoveredAt - freedAt)} after space is free; ${committed}`,
    );
  });
});
