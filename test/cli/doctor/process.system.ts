/** `daybook doctor` beside a process of the service with an embedded database. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { runDaybook } from '../../support/cli.js';
import { makeFolder } from '../../support/folder.js';
import { type ServiceProcess, startProcess } from '../../support/process.js';

describe('daybook doctor beside the service', function () {
  this.timeout(120_000);

  it('examines the embedded database and the port while the service runs, and does not start them', async () => {
    const own = await makeFolder();
    const missing = join(own, 'not-there');
    const empty = await examine({ DATA_DIR: missing });
    expect(empty.about('Database')[0]).to.include({ health: 'note' });
    expect(empty.about('Data folder')[0]).to.include({ health: 'note' });
    expect(await readdir(own)).to.deep.equal([]);
    const service: ServiceProcess = await startProcess({ DATA_DIR: own, HOST: '127.0.0.1' });
    await service.waitForOutput('Daybook is ready.');
    const { port } = new URL(service.url);
    const running = await examine({ DATA_DIR: own, PORT: port, HOST: '127.0.0.1' });
    expect(running.about('Database')[0]?.message).to.match(/responds \(the embedded server on port \d+\)\.$/);
    expect(running.about('Schema')[0]).to.include({ health: 'ok' });
    expect(running.about('Port')[0])
      .to.include({ health: 'ok' })
      .and.to.have.property('message')
      .that.contains('by a running Daybook service');
    service.child.kill('SIGTERM');
    expect(await service.ended).to.equal(0);
    const stopped = await examine({ DATA_DIR: own });
    expect(stopped.about('Database')[0]).to.include({ health: 'warning' });
    expect(await readdir(join(own, 'postgres'))).to.not.include('postmaster.pid');
  });
});

async function examine(environment: Record<string, string>) {
  const { code, stdout, stderr } = await runDaybook(['doctor', '--json'], { PORT: '0', ...environment });
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect([code, stderr]).to.deep.equal([ok ? 0 : 1, '']);
  const about = (name: string) => findings.filter((finding) => finding.about === name);
  return { code, findings, about };
}
