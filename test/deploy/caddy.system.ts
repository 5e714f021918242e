/** Rolling restarts behind Caddy, with the provided configuration and the changes that docs/deploy.md names for Caddy up to 2.11.1. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../src/cli/generate/files.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { freshDatabase } from '../support/database.js';
import { describeFault } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, startService } from '../support/process.js';
import { requestDuring, restartServices } from '../support/rolling-restart.js';
import { freePort } from '../support/server.js';
import { until } from '../support/until.js';

/** As recommended: two health checks. */
const PAUSE_MS = 2_000;

describeFault('caddy-restart', function (measured) {
  this.timeout(180_000);
  // As in compose.yaml.
  const environment = { TRUST_PROXY: '1', LIMIT_WRITES: '1000000/1h', SHUTDOWN_DELAY: '5s' };
  const services: RunningService[] = [];
  let database: string;
  let url: string;
  let stop = async () => {};
  let article: BuiltArticle;

  before(async () => {
    database = await freshDatabase('behind_caddy');
    for (let count = 0; count < 2; count++) services.push(await startService(database, environment));
    url = `http://127.0.0.1:${await freePort()}`;
    stop = await startCaddy(url, services);
    await until(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200);
    article = await buildArticle(url);
  });
  after(async () => {
    await stop();
    await Promise.all(services.map((service) => service.stop()));
  });

  it('loses no request while its processes are restarted one after the other', async () => {
    const restart = () => restartServices(services, database, [environment, environment], PAUSE_MS);
    measured(await requestDuring(restart, url, article));
  });
});

/** Without TLS, which requires a certificate. @returns stops it */
async function startCaddy(url: string, services: readonly RunningService[]): Promise<() => Promise<void>> {
  const folder = await makeFolder();
  const file = join(folder, 'Caddyfile');
  const text = await readFile(new URL('deploy/Caddyfile', ROOT), 'utf8');
  const upstreams = services.map((service) => new URL(service.url).host).join(' ');
  const listed = text.replace(
    /dynamic a [\s\S]*?refresh 5s\s*\}/,
    `to ${upstreams}\nhealth_uri /readyz\nhealth_interval 1s`,
  );
  await writeFile(file, `{\nadmin off\nauto_https off\n}\n${listed.replace('{$SITE:journal.example.org}', url)}`);
  const env = { PATH: process.env.PATH, HOME: folder };
  const caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => caddy.once('close', resolve));
  return async () => {
    caddy.kill('SIGTERM');
    await ended;
  };
}
