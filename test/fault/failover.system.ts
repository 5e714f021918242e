/** A database URL with several hosts. */
import { expect } from 'chai';
import { type BuiltArticle, buildArticle, buildComment } from '../support/build.js';
import { call } from '../support/client.js';
import { execute, freshDatabase } from '../support/database.js';
import { describeFault, seconds } from '../support/faults.js';
import { makeFolder } from '../support/folder.js';
import { type RunningService, startProcess, startService } from '../support/process.js';
import { type Relay, startRelay } from '../support/relay.js';
import { slowdown } from '../support/time-limits.js';
import { until } from '../support/until.js';

/** The default. */
const STATEMENT_TIMEOUT_MS = 30_000;

describeFault('host-lost', function (measured) {
  this.timeout(90_000);
  const relays: Relay[] = [];
  let service: RunningService;
  let article: BuiltArticle;
  let url: string;

  before(async () => {
    const database = await freshDatabase('several_hosts');
    for (let count = 0; count < 3; count++) relays.push(await startRelay(() => database));
    const hosts = relays.map((relay) => new URL(relay.through(database)).host);
    const { host } = new URL(database);
    url = `${database.replace(host, ['127.0.0.1:1', ...hosts].join())}?target_session_attrs=read-write`;
    service = await startService(url, { RESPONSE_CACHE_MB: '0' });
    article = await buildArticle(service.url);
  });
  after(async () => {
    await service.stop();
    for (const relay of relays) await relay.close();
  });

  it('is used at the first host that can be reached, and at the next one when it fails', async () => {
    await relays[0]?.close();
    const closedAt = performance.now();
    const ready = async () => (await fetch(`${service.url}/readyz`)).status === 200;
    await until(ready);
    await buildComment(service.url, article.id, {}, article.author);
    measured(`written at the next host after ${seconds(performance.now() - closedAt)}`);
  });

  it('is left when it does not respond, long before the statement timeout', async () => {
    relays[1]?.silence();
    const silentAt = performance.now();
    const { token } = article.author;
    const write = () =>
      call(service.url, `POST /api/articles/${article.id}/comments`, { token, json: { content: 'Hi' } });
    await until(async () => (await write()).status === 201);
    const elapsedMs = performance.now() - silentAt;
    expect(elapsedMs).to.be.below((STATEMENT_TIMEOUT_MS / 2) * slowdown());
    measured(`written ${seconds(elapsedMs)} after a host became silent`);
  });

  it('stops the start with a message without passwords if no host accepts writes', async () => {
    await execute(['alter database several_hosts set default_transaction_read_only = on']);
    const { ended, output } = await startProcess({ DATABASE_URL: url, DATA_DIR: await makeFolder() });
    expect(await ended).to.equal(1);
    expect(output.stderr).to.match(
      /The database at 127\.0\.0\.1:1,.*several_hosts \(DATABASE_URL\) cannot be used: none of the hosts accepts writes/,
    );
    expect(output.stderr).to.not.contain(new URL(url.replace(/127.*,/, '')).password);
    await execute(['alter database several_hosts reset default_transaction_read_only']);
  });
});
