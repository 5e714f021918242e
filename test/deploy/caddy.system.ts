/** Rolling restarts behind Caddy, and its log, with the provided configuration and the changes that docs/deploy.md names for Caddy up to 2.11.1. */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../src/cli/generate/files.js';
import { type BuiltArticle, buildArticle } from '../support/build.js';
import { freshDatabase } from '../support/database.js';
import { describeFault } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, startService } from '../support/process.js';
import { describeWith } from '../support/programs.js';
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
  let caddy: Caddy | undefined;
  let article: BuiltArticle;

  before(async () => {
    database = await freshDatabase('behind_caddy');
    for (let count = 0; count < 2; count++) services.push(await startService(database, environment));
    url = `http://127.0.0.1:${await freePort()}`;
    caddy = await startCaddy(url, services);
    await until(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200);
    article = await buildArticle(url);
  });
  after(async () => {
    await caddy?.stop();
    await Promise.all(services.map((service) => service.stop()));
  });

  it('loses no request while its processes are restarted one after the other', async () => {
    const restart = () => restartServices(services, database, [environment, environment], PAUSE_MS);
    measured(await requestDuring(restart, url, article));
  });
});

describeWith(['caddy'], 'Behind Caddy', function () {
  this.timeout(60_000);

  it('errors are logged without the tokens of links', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = { url: `http://127.0.0.1:${await freePort()}` };
    const token = 'q6mCGJ5kV1pTtXcL0wF4hZbRy8sNn2eUo7iDaKxMv3E';
    const caddy = await startCaddy(url, [away]);
    try {
      await until(async () => (await fetch(`${url}/metrics`).catch(() => undefined))?.status === 404);
      const paths = [`/api/shared/${token}`, `/api/%73hared/${token}?x`, `/account/unsubscribe?token=${token}`];
      const responses = await Promise.all(paths.map((path) => fetch(url + path)));
      for (const { status } of responses) expect(status).to.be.oneOf([502, 503]);
      await until(() => caddy.log().match(/"http\.log\.error"/g)?.length === paths.length);
      expect(caddy.log()).to.include('"uri":"/api/shared"').and.not.include(token);
    } finally {
      await caddy.stop();
    }
  });
});

interface Caddy {
  /** What it has logged. */
  log(): string;
  stop(): Promise<void>;
}

/** Without TLS, which requires a certificate. */
async function startCaddy(url: string, services: readonly Pick<RunningService, 'url'>[]): Promise<Caddy> {
  const folder = await makeFolder();
  const file = join(folder, 'Caddyfile');
  const text = await readFile(new URL('deploy/Caddyfile', ROOT), 'utf8');
  const upstreams = services.map((service) => new URL(service.url).host).join(' ');
  const listed = text.replace(
    /dynamic a [\s\S]*?refresh 5s\s*\}/,
    `to ${upstreams}\nhealth_uri /readyz\nhealth_interval 1s`,
  );
  const site = listed.replace('{$SITE:journal.example.org}', url);
  await writeFile(file, site.replace('{', '{\nadmin off\nauto_https off'));
  const env = { PATH: process.env.PATH, HOME: folder };
  const caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'pipe' });
  let log = '';
  for (const output of [caddy.stdout, caddy.stderr]) output.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => caddy.once('close', resolve));
  return {
    log: () => log,
    stop: async () => {
      caddy.kill('SIGTERM');
      await ended;
    },
  };
}
