/** `daybook start`: runs the service in the process of the command. */
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT, type RunningCli, startDaybook } from '../support/cli.js';
import { makeFolder } from '../support/folder.js';
import { freePort } from '../support/server.js';

describe('daybook start', function () {
  this.timeout(120_000);

  let dataDir: string;
  const environment = () => ({
    DATABASE_URL: process.env.TEST_DATABASE_URL ?? '',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    PORT: '1',
    HOST: '192.0.2.1',
  });

  before(async () => {
    dataDir = await makeFolder();
  });

  async function waitForOutput({ child, result }: RunningCli, text: string): Promise<void> {
    let seen = '';
    await Promise.race([
      new Promise<void>((resolve) => {
        child.stdout?.on('data', (chunk: string) => {
          seen += chunk;
          if (seen.includes(text)) resolve();
        });
      }),
      result.then(({ stderr }) => {
        throw new Error(`it ended before "${text}": ${stderr}`);
      }),
    ]);
  }

  it('prefers --port and --host to the environment, and exits with 0 on SIGINT, as bin/daybook.js', async () => {
    const port = String(await freePort());
    const args = ['start', '--port', port, '--host', '127.0.0.1'];
    const program = [process.execPath, join(ROOT, 'bin/daybook.js')];
    const running = startDaybook(args, environment(), { program });
    await waitForOutput(running, 'Daybook is ready.');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.result;
    expect([code, stderr]).to.deep.equal([0, '']);
  });

  it('stops when the shell of npx ends without forwarding the signal', async () => {
    const port = String(await freePort());
    // With two commands, the shell does not replace itself with the first (no implicit exec).
    const program = ['/bin/sh', '-c', '"$0" "$@"; exit', process.execPath];
    const main = join(ROOT, 'dist/src/cli/main.js');
    const args = [main, 'start', '--port', port, '--host', '127.0.0.1'];
    const running = startDaybook(args, { ...environment(), npm_command: 'exec' }, { program });
    await waitForOutput(running, 'Daybook is ready.');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).to.equal(200);
    running.child.kill('SIGTERM');
    // The shell exits immediately; its stdout closes when the service, the last process that has it open, exits.
    const { code, stdout, stderr } = await running.result;
    expect([code, stderr]).to.deep.equal(['SIGTERM', '']);
    expect(stdout).to.contain('SIGTERM: stopping.');
    expect(await fetch(`http://127.0.0.1:${port}/healthz`).catch((error) => error)).to.be.instanceOf(Error);
  });

  it('exits with 1 and an error when it cannot listen', async () => {
    const { code, stderr } = await startDaybook(['start', '--port', '0'], environment()).result;
    expect(code).to.equal(1);
    expect(stderr).to.equal('Daybook cannot start. HOST must be an address of this machine, not "192.0.2.1".\n');
  });
});
