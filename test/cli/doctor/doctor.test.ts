/** `daybook doctor`: findings and advice. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import type { Finding } from '../../../src/cli/doctor/finding.js';
import { checkNode } from '../../../src/cli/doctor/machine.js';
import { respond, startAiProvider } from '../../support/ai-provider.js';
import { ROOT, runDaybook } from '../../support/cli.js';
import { emptyDatabase } from '../../support/database.js';
import { makeFolder } from '../../support/folder.js';
import { CLIENT, startOpenId } from '../../support/openid.js';
import { freePort, listen } from '../../support/server.js';

describe('daybook doctor', function () {
  this.timeout(120_000);

  let dataDir: string;
  let DATABASE_URL: string;
  before(async () => {
    dataDir = await makeFolder();
    DATABASE_URL = await emptyDatabase('daybook_doctor');
  });
  async function examine(environment: Record<string, string> = {}) {
    const own = { DATA_DIR: dataDir, DATABASE_URL, PORT: '0' };
    const { code, stdout, stderr } = await runDaybook(['doctor', '--json'], { ...own, ...environment });
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    expect([code, stderr]).to.deep.equal([ok ? 0 : 1, '']);
    const about = (name: string) => findings.filter((finding) => finding.about === name);
    return { code, findings, about };
  }

  it('reports a database without a schema as a note, and does not create one', async () => {
    for (const _ of ['once', 'again']) {
      const { code, about } = await examine();
      expect(code).to.equal(0);
      expect(about('Database')[0]?.message).to.match(
        /^PostgreSQL \d+\S* responds \(127\.0\.0\.1:\d+\/daybook_doctor\)\.$/,
      );
      expect(about('Schema')[0]).to.include({ health: 'note' });
    }
    expect(await readdir(dataDir)).to.deep.equal([]);
  });

  it('reports everything in order after a migration, as plain text', async () => {
    await runDaybook(['migrate'], { DATABASE_URL, DATA_DIR: dataDir });
    await mkdir(join(dataDir, 'images'));
    const { code, stdout, stderr } = await runDaybook(['doctor'], { DATABASE_URL, DATA_DIR: dataDir, PORT: '0' });
    expect([code, stderr]).to.deep.equal([0, '']);
    for (const about of [
      'Node.js',
      'Settings',
      'Data folder',
      'Database',
      'Clocks',
      'Schema',
      'Jobs',
      'Images',
      'Port',
    ]) {
      expect(stdout).to.match(new RegExp(`^✓ ${about} `, 'm'));
    }
    expect(stdout).to.match(/^– AI provider {3}[^\n]*\n– Social login {2}Not configured\./m);
    expect(stdout).to.match(/\n\nAll checks passed\.\n$/);
    expect(await readdir(join(dataDir, 'images'))).to.deep.equal([]);
  });

  it('warns of a public address without https', async () => {
    for (const [PUBLIC_URL, health] of [
      ['http://journal.example.org', 'warning'],
      ['https://journal.example.org', 'ok'],
      ['http://localhost:4000', 'ok'],
    ] as const)
      expect((await examine({ PUBLIC_URL })).about('Address')[0]?.health, PUBLIC_URL).to.equal(health);
  });

  it('reports pending migrations as a failure, and warns of failed jobs, with advice', async () => {
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    await client.query('delete from migrations');
    await client.query(`select graphile_worker.add_job('nothing', job_key => 'nothing', max_attempts => 1)`);
    await client.query('update graphile_worker._private_jobs set attempts = 1');
    const { code, about } = await examine();
    expect(code).to.equal(1);
    const advice = 'Run "npx daybook migrate", or start the service.';
    const names = migrations.map(({ name }) => name);
    const message = `Pending: ${names.join(', ')}.`;
    expect(about('Schema')).to.deep.equal([{ about: 'Schema', health: 'failure', message, advice }]);
    expect(about('Jobs')[0]).to.include({
      health: 'warning',
      message: '1 failed after the maximum number of attempts.',
    });
    await client.query('insert into migrations (name) select unnest($1::text[])', [[...names, '9999-later']]);
    const later = await examine();
    expect(later.about('Schema')[0]).to.include({
      health: 'failure',
      message: 'It has migrations unknown to this version of Daybook: 9999-later.',
    });
    await client.query(`delete from migrations where name = '9999-later'`);
    await client.end();
  });

  it('warns of scheduled jobs that ran in the future, according to the clock of a process', async () => {
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    await client.query(`insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
      values ('mail-digests', now(), now() + interval '1 year') on conflict (identifier) do update
      set last_execution = excluded.last_execution`);
    const { about } = await examine();
    expect(about('Schedule')[0]).to.include({
      health: 'warning',
      message: 'According to the database, these scheduled jobs ran in the future: mail-digests.',
    });
    await client.query('delete from graphile_worker._private_known_crontabs');
    expect((await examine()).about('Schedule')).to.deep.equal([]);
    await client.end();
  });

  it('reports who can read the metrics', async () => {
    const METRICS_TOKEN = 'a token for the scraper, long enough';
    const PUBLIC_URL = 'https://journal.example.org';
    const of = async (environment: Record<string, string>) => (await examine(environment)).about('Metrics')[0];
    expect(await of({})).to.include({ health: 'ok', message: '/metrics is available to loopback clients.' });
    expect(await of({ PUBLIC_URL })).to.include({
      health: 'note',
      message: '/metrics is disabled, since PUBLIC_URL is not local. Set METRICS_TOKEN to enable it.',
    });
    expect(await of({ PUBLIC_URL, METRICS_TOKEN })).to.include({
      health: 'ok',
      message: '/metrics requires METRICS_TOKEN.',
    });
  });

  it('reports each invalid setting and skips further checks', async () => {
    const { code, findings } = await examine({ PORT: 'abc', JWT_SECRET: 'hushhush' });
    expect(code).to.equal(1);
    expect(findings.map(({ about, health }) => [about, health])).to.deep.equal([
      ['Node.js', 'ok'],
      ['Settings', 'failure'],
      ['Settings', 'failure'],
    ]);
    expect(findings[1]?.message).to.match(/^PORT must be /);
    expect(JSON.stringify(findings)).to.not.contain('hushhush');
  });

  it('gives advice for each unreachable dependency, and prints no secret', async () => {
    const port = await freePort();
    const here = `127.0.0.1:${port}`;
    const { code, findings, about } = await examine({
      DATABASE_URL: `postgres://someone:hush%2Fhush@${here}/nowhere`,
      AI_MODEL: 'some-model',
      AI_BASE_URL: `http://${here}/v1`,
      AI_API_KEY: 'hush/hush',
      STORAGE: 's3',
      S3_ENDPOINT: `http://${here}`,
      S3_BUCKET: 'some-bucket',
      S3_ACCESS_KEY_ID: 'hush/hush',
      S3_SECRET_ACCESS_KEY: 'hush/hush',
      OAUTH_OWN_ISSUER: `http://${here}`,
      OAUTH_OWN_CLIENT_ID: 'own',
      OAUTH_OWN_CLIENT_SECRET: 'hush/hush',
    });
    expect(code).to.equal(1);
    for (const name of ['Database', 'AI provider', 'Images', 'Social login']) {
      expect(about(name), name).to.have.length(1);
      expect(about(name)[0]).to.include({ health: 'failure' }).and.to.have.property('advice').that.matches(/\.$/);
    }
    expect(JSON.stringify(findings)).to.not.match(/hush/);
  });

  it('times out on a server that accepts a connection and sends nothing', async () => {
    const server = createTcpServer();
    const endpoint = `http://127.0.0.1:${await listen(server)}`;
    try {
      const bucket = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'some-id', S3_SECRET_ACCESS_KEY: 'some-key' };
      const { code, about } = await examine({ STORAGE: 's3', S3_ENDPOINT: endpoint, ...bucket });
      expect(code).to.equal(1);
      expect(about('Images')[0]).to.include({ health: 'failure' });
    } finally {
      server.close();
    }
  });

  it('checks the AI provider and the login providers, and reports reachable ones as ok', async () => {
    const provider = await startAiProvider();
    const openid = await startOpenId([]);
    provider.setResponses(respond.withText('yes'));
    const { code, about } = await examine({
      ...provider.environment,
      OAUTH_OWN_ISSUER: openid.issuer,
      OAUTH_OWN_CLIENT_ID: CLIENT.id,
      OAUTH_OWN_CLIENT_SECRET: CLIENT.secret,
    });
    expect(code).to.equal(0);
    expect(about('AI provider')).to.deep.equal([{ about: 'AI provider', health: 'ok', message: 'scripted responds.' }]);
    expect(about('Social login')[0]).to.include({ health: 'ok' });
    expect(provider.requests).to.have.length(1);
    await provider.close();
    await openid.close();
  });

  it('reports a wrong database password without printing it', async () => {
    const wrong = new URL(DATABASE_URL);
    wrong.password = 'hushhush';
    const { about } = await examine({ DATABASE_URL: wrong.href });
    expect(about('Database')[0]).to.include({
      health: 'failure',
      advice: 'Correct the user and the password in DATABASE_URL.',
    });
    expect(about('Database')[0]?.message)
      .to.match(/password/)
      .and.not.contain('hushhush');
  });

  it('reports a port used by another program', async () => {
    const other = createServer((_, response) => response.end('{}'));
    const PORT = String(await listen(other));
    const { code, about } = await examine({ PORT, HOST: '127.0.0.1' });
    expect([code, about('Port')[0]?.message]).to.deep.equal([1, `${PORT} is in use by another program.`]);
    other.close();
  });

  it('accepts the Node versions that package.json declares', async () => {
    const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(engines).to.deep.equal({ node: '^20.19.0 || >=22.12.0' });
    const health = (version: string) => checkNode(version).health;
    for (const version of ['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.1.0']) expect(health(version)).to.equal('ok');
    for (const version of ['18.20.0', '20.18.9', '21.9.0', '22.11.9']) expect(health(version)).to.equal('failure');
  });
});
