/** `daybook webhook`, what `doctor` reports about webhooks, and what a restore does to them. */
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSecrets, replaceJwtSecret } from '../../src/platform/config/secrets.js';
import { JWT_SECRET, useApp } from '../support/app.js';
import { buildArticle } from '../support/build.js';
import { numberChanges } from '../support/changes.js';
import { runDaybook, startDaybook } from '../support/cli.js';
import { emptyDatabase } from '../support/database.js';
import { makeFolder } from '../support/folder.js';
import { rowsOf } from '../support/imported.js';
import { until } from '../support/until.js';
import { briefMessage, isSigned, LOOPBACK, status, useDeliveries, useReceiver } from '../support/webhooks.js';

describe('daybook webhook', function () {
  this.timeout(60_000);
  const app = useApp(LOOPBACK);
  const receiver = useReceiver();
  const { deliver } = useDeliveries(app);
  let env: Record<string, string>;
  before(async () => {
    env = { DATABASE_URL: app.database.url, DATA_DIR: await makeFolder(), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' };
    await loadSecrets(env.DATA_DIR ?? '');
    await replaceJwtSecret(env.DATA_DIR ?? '', JWT_SECRET);
  });

  async function findings(): Promise<string[]> {
    const { stdout } = await runDaybook(['doctor', '--json'], env);
    const all: { about: string; health: string; message: string }[] = JSON.parse(stdout).findings;
    return all.filter(({ about }) => about === 'Webhooks').map(({ health, message }) => `${health} ${message}`);
  }

  it('creates, lists and resumes webhooks, whose secrets the service reads', async () => {
    const wrong = await runDaybook(['webhook', 'add', 'http://10.0.0.1/', '--event', 'changes'], env);
    expect([wrong.code, wrong.stderr]).to.deep.equal([
      1,
      'url must be an https URL of a public address, without a user name and a password; WEBHOOK_ALLOWED_HOSTS permits others.\n',
    ]);
    const added = await runDaybook(
      ['webhook', 'add', receiver.url, '--event', 'article.created', 'article.removed'],
      env,
    );
    expect(added.code, added.stderr).to.equal(0);
    const id = Number(/Webhook (\d+) was created/.exec(added.stderr)?.[1]);
    expect(await findings()).to.deep.equal([]);
    receiver.respond = status(500);
    await buildArticle(app.url);
    await deliver();
    expect(await findings()).to.deep.equal([
      `warning Webhook ${id} fails with status 500 (attempts that failed in a row: 1).`,
    ]);
    await app.database.sequelize.query('update webhooks set next_attempt_at = null, failures = 0');
    receiver.received.length = 0;
    receiver.respond = status(410);
    await deliver();
    expect(receiver.received.map((message) => isSigned(message, added.stdout.trim()))).to.deep.equal([true]);
    const [finding] = await findings();
    expect(finding).to.equal(`warning Webhook ${id} was disabled (gone).`);
    const list = await runDaybook(['webhook', 'list'], env);
    expect(list.stdout).to.match(
      new RegExp(
        `^${id}  ${receiver.url}  article.created,article.removed  disabled \\(gone\\), failures: 1, waiting since 2`,
      ),
    );
    receiver.respond = status(204);
    const resumed = await runDaybook(['webhook', 'resume', String(id)], env);
    expect([resumed.code, resumed.stdout.includes('enabled')], resumed.stderr).to.deep.equal([0, true]);
    await deliver();
    expect(receiver.received).to.have.length(2);
    const unknown = await runDaybook(['webhook', 'resume', '999'], env);
    expect([unknown.code, unknown.stderr]).to.deep.equal([1, 'There is no webhook with this ID.\n']);
    const events = await rowsOf<{ kind: string; device: string }>(
      app.database,
      `select kind, device from security_events where device like 'npx daybook webhook%' order by id`,
    );
    expect(events).to.deep.equal([
      { kind: 'WEBHOOK_CREATED', device: 'npx daybook webhook add' },
      { kind: 'WEBHOOK_CHANGED', device: 'npx daybook webhook resume' },
    ]);
    const unconfirmed = await runDaybook(['webhook', 'remove', String(id)], env);
    expect([unconfirmed.code, unconfirmed.stderr]).to.deep.equal([
      1,
      `Webhook ${id} of ${receiver.url} is deleted: confirm it with --yes.\n`,
    ]);
    await app.database.sequelize.query(`update webhooks set pending_since = now() - interval '3 hours'`);
    expect(await findings()).to.deep.equal([`warning Webhook ${id} has not delivered a change for 3 hours.`]);
    const removed = await runDaybook(['webhook', 'remove', String(id), '--yes'], env);
    expect([removed.code, removed.stdout]).to.deep.equal([0, `Webhook ${id} was deleted.\n`]);
    expect((await runDaybook(['webhook', 'list'], env)).stdout).to.equal('');
    const again = await runDaybook(['webhook', 'remove', String(id), '--yes'], env);
    expect([again.code, again.stderr]).to.deep.equal([1, 'There is no webhook with this ID.\n']);
  });

  it('sends what changes to a program on this machine, until it is stopped', async () => {
    const { child, result } = startDaybook(['webhook', 'listen', '--forward', receiver.url], env);
    let errors = '';
    child.stderr?.on('data', (text) => {
      errors += text;
    });
    await until(() => errors.includes('until Ctrl+C'));
    const secret = /whsec_\S+/.exec(errors)?.[0] ?? '';
    const article = await buildArticle(app.url);
    await numberChanges(app.database);
    await until(() => receiver.received.some(({ body }) => body.type === 'article.created'));
    child.kill('SIGINT');
    const { code, stdout } = await result;
    expect(code).to.equal(0);
    expect(stdout).to.include(`article.created ${article.id}: 204 in `);
    expect(receiver.received.map(briefMessage)).to.include(`article.created ${article.id}`);
    for (const message of receiver.received) expect(isSigned(message, secret)).to.equal(true);
  });

  it('has disabled webhooks after a restore', async () => {
    const added = await runDaybook(['webhook', 'add', receiver.url, '--event', 'changes'], env);
    expect(added.code, added.stderr).to.equal(0);
    const archive = join(await makeFolder(), 'journal.tar.gz');
    const made = await runDaybook(['backup', archive], env);
    expect(made.code, made.stderr).to.equal(0);
    const restored = { ...env, DATABASE_URL: await emptyDatabase('restored_webhooks'), DATA_DIR: await makeFolder() };
    const { code, stderr } = await runDaybook(['restore', archive], restored);
    expect(code, stderr).to.equal(0);
    const list = await runDaybook(['webhook', 'list'], restored);
    expect(list.stdout).to.include(`${receiver.url}  changes  disabled (restored)`);
    const id = list.stdout.split(' ')[0] ?? '';
    const refused = await runDaybook(['webhook', 'resume', id], restored);
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      'The changes after this position are not complete any more: resume the webhook with `latest`, and let its receiver read the journal again.\n',
    ]);
    const resumed = await runDaybook(['webhook', 'resume', id, '--since', 'latest'], restored);
    expect([resumed.code, resumed.stdout.includes('enabled')], resumed.stderr).to.deep.equal([0, true]);
  });
});
