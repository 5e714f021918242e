/** The receivers of docs/webhooks.md: extracted, and run. The one in Node builds the static site of docs/clients.md with Eleventy. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startChanges } from '../../src/jobs/changes.js';
import { generateSecret, keyOf } from '../../src/services/webhooks/secret.js';
import { send } from '../../src/services/webhooks/send.js';
import { useApp } from '../support/app.js';
import { type BuiltMember, buildArticle } from '../support/build.js';
import { call, expectStatus } from '../support/client.js';
import { fencesOf, readDocument } from '../support/documents.js';
import { makeFolder } from '../support/folder.js';
import { describeWith } from '../support/programs.js';
import { buildWithRole } from '../support/roles.js';
import { freePort } from '../support/server.js';
import { until } from '../support/until.js';
import { createWebhook, LOOPBACK } from '../support/webhooks.js';

async function programOf(document: string, name: string): Promise<string> {
  const found = fencesOf(await readDocument(document)).find(({ info }) => info.endsWith(` ${name}`));
  if (!found) throw new Error(`${document} has no ${name}`);
  return found.text;
}

async function startReceiver(
  folder: string,
  port: number,
  secret: string,
  command: readonly string[],
): Promise<ChildProcess> {
  await writeFile(join(folder, 'receiver.js'), await programOf('docs/webhooks.md', 'receiver.js'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const env = { PATH: process.env.PATH, SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, ['receiver.js', ...command], { cwd: folder, env, stdio: 'ignore' });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then(
      () => true,
      () => false,
    ),
  );
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

const ANY = { hasName: () => true, hasAddress: () => true };
const MESSAGE = { id: 'msg_1', event: 'changes', body: '{"type":"changes"}', cursor: '' };

describe('The receivers of docs/webhooks.md', function () {
  this.timeout(60_000);

  it('in Node: accepts signed messages only, and runs the command', async () => {
    const folder = await makeFolder();
    const secret = generateSecret();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const child = await startReceiver(folder, port, secret, ['touch', 'built']);
    const statusOf = async (secrets: string[], now = Date.now()) =>
      (await send({ url, secrets }, MESSAGE, { allowedHosts: ANY, now })).status;
    expect(await statusOf([generateSecret()])).to.equal(401);
    expect(await statusOf([secret], Date.now() - 400_000)).to.equal(401);
    expect(await readdir(folder)).to.not.include('built');
    expect(await statusOf([generateSecret(), secret])).to.equal(204);
    await until(async () => (await readdir(folder)).includes('built'));
    await end(child);
  });

  it('in the shell: accepts signed messages only, executes no header, and runs the command', async () => {
    const folder = await makeFolder();
    const script = join(folder, 'receiver.sh');
    await writeFile(script, await programOf('docs/webhooks.md', 'receiver.sh'));
    const secret = generateSecret();
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = (time: string | number, key = secret) => {
      const signature = createHmac('sha256', keyOf(key)).update(`msg_1.${time}.${MESSAGE.body}`).digest('base64');
      return { HTTP_WEBHOOK_TIMESTAMP: String(time), HTTP_WEBHOOK_SIGNATURE: `v1,AAAA v1,${signature}` };
    };
    const run = (shell: string, headers: Readonly<Record<string, string>>) => {
      const settings = { PATH: process.env.PATH, SECRET: secret, BUILD: 'touch built' };
      const env = { ...settings, CONTENT_LENGTH: String(MESSAGE.body.length), HTTP_WEBHOOK_ID: 'msg_1', ...headers };
      return new Promise<string>((resolve, reject) => {
        const options = { env, cwd: folder };
        const child = execFile(shell, [script], options, (error, output) => (error ? reject(error) : resolve(output)));
        // A request can be rejected before its body is read.
        child.stdin?.on('error', () => {}).end(MESSAGE.body);
      });
    };
    const command = 'touch executed';
    const names = ['CONTENT_LENGTH', 'HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE'];
    const forms = [
      `x[$(${command})]`,
      `$(${command})`,
      `\`${command}\``,
      `1;${command}`,
      `";${command};"`,
      '-1',
      '08',
      '%s',
      '*',
      '',
    ];
    const rejected = [
      {},
      signed(timestamp, generateSecret()),
      signed(timestamp - 400),
      signed(timestamp + 400),
      signed(`x[$(${command})]`),
      ...names.flatMap((name) => forms.map((form) => ({ ...signed(timestamp, generateSecret()), [name]: form }))),
    ];
    for (const shell of ['sh', 'bash']) {
      for (const headers of rejected)
        expect(await run(shell, headers), `${shell} ${JSON.stringify(headers)}`).to.equal(
          'Status: 401 Unauthorized\r\n\r\n',
        );
      expect(await readdir(folder), shell).to.deep.equal(['receiver.sh']);
      expect(await run(shell, signed(timestamp)), shell).to.equal('Status: 204 No Content\r\n\r\n');
      await until(async () => (await readdir(folder)).includes('built'));
      await rm(join(folder, 'built'));
    }
  });
});

describeWith(['@11ty/eleventy@3.1.8'], 'A static site that a webhook builds', function () {
  this.timeout(120_000);
  const app = useApp({ ...LOOPBACK, WEBHOOK_BATCH_SECONDS: '1' });
  let admin: BuiltMember;
  let stop: () => Promise<void>;
  before(async () => {
    admin = await buildWithRole(app, 'ADMIN');
    stop = startChanges(app.services);
  });
  after(() => stop());

  it('has the page of a published article, and loses that of a deleted one', async () => {
    const folder = await makeFolder();
    const site = join(folder, '_site');
    await mkdir(join(folder, 'pages'));
    const reader = (await programOf('docs/clients.md', 'static-site.js')).replaceAll('http://localhost:4000', app.url);
    await writeFile(join(folder, 'static-site.js'), reader);
    await writeFile(
      join(folder, 'eleventy.config.js'),
      `import { readArticles } from './static-site.js';
       export default (config) => { config.addGlobalData('articles', readArticles); };`,
    );
    await writeFile(
      join(folder, 'pages', 'article.liquid'),
      '---\npagination: { data: articles, size: 1, alias: article }\npermalink: "/{{ article.slug }}/index.html"\n---\n{{ article.contentHtml }}',
    );
    // Pages of articles that are gone are files of an earlier build.
    const build = `rm -rf next && eleventy --input=pages --output=next --quiet && rm -rf _site && mv next _site`;
    const port = await freePort();
    const { secret } = await createWebhook(app, admin, `http://127.0.0.1:${port}/`, ['changes']);
    const child = await startReceiver(folder, port, secret, ['sh', '-c', build]);
    const pages = async () => (await readdir(site).catch(() => [])).sort();
    await buildArticle(app.url, { title: 'Owls', content: 'In the **attic**.' }, admin);
    const deleted = await buildArticle(app.url, { title: 'Mice' }, admin);
    await until(async () => (await pages()).join() === 'mice,owls', 60_000);
    expect(await readFile(join(site, 'owls', 'index.html'), 'utf8')).to.include(
      '<p>In the <strong>attic</strong>.</p>',
    );
    await expectStatus(call(app.url, `DELETE /api/articles/${deleted.id}`, { token: admin.token }), 200, '1');
    await until(async () => (await pages()).join() === 'owls', 60_000);
    await end(child);
  });
});
