/** Requests with an Idempotency-Key to several processes on one database, one of which is killed. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { type RunningService, startService } from '../../support/process.js';
import { type Relay, startRelay } from '../../support/relay.js';
import { until } from '../../support/until.js';

describe('Several processes', () => {
  const two = useApp();
  let database: string;
  let relay: Relay;
  let one: RunningService;
  let member: BuiltMember;
  let articleId: number;
  /** The connection on which the process that is killed writes the comment. */
  let writing: object | undefined;
  /** Called when that process sends COMMIT on it. The database receives it first. */
  let onCommit = () => {};

  before(async function () {
    this.timeout(60_000);
    database = two.database.url;
    relay = await startRelay(
      () => database,
      (sent, connection) => {
        if (sent.includes('Killed.')) writing = connection;
        if (sent.includes('COMMIT') && connection === writing) onCommit();
        return false;
      },
    );
    one = await startService(relay.through(database));
    member = await buildMember(two.url);
    ({ id: articleId } = await buildArticle(two.url, {}, member));
  });
  after(async () => {
    await one.kill();
    await relay.close();
  });

  async function comment({ url }: { url: string }, key: string, content: string) {
    const response = await fetch(`${url}/api/articles/${articleId}/comments`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${member.token}`,
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ content }),
    });
    const replayed = response.headers.get('Idempotency-Replayed');
    return { status: response.status, replayed, body: await response.text() };
  }

  async function rowsWith(content: string): Promise<number> {
    const client = new pg.Client(database);
    await client.connect();
    const { rowCount } = await client.query('select from comments where content = $1', [content]);
    await client.end();
    return rowCount ?? 0;
  }

  it('perform one change for 50 parallel retries, with 50 equal responses', async () => {
    const key = randomUUID();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) => comment(index % 2 === 0 ? one : two, key, 'Parallel.')),
    );
    expect(new Set(all.map(({ status, body }) => `${status} ${body}`)).size).to.equal(1);
    expect(all[0]?.status, all[0]?.body).to.equal(201);
    expect(all.filter(({ replayed }) => replayed === null)).to.have.length(1);
    expect(await rowsWith('Parallel.')).to.equal(1);
  });

  it('send the stored response if the first process was killed between commit and response', async () => {
    const key = randomUUID();
    let killed: Promise<void> | undefined;
    onCommit = () => {
      if (killed) return;
      // The process does not learn that the transaction is committed.
      relay.silence();
      killed = one.kill();
    };
    const lost = await comment(one, key, 'Killed.').catch((error: Error) => error);
    expect(lost).to.be.instanceOf(Error);
    await killed;
    // The database may still be processing the COMMIT.
    await until(async () => (await rowsWith('Killed.')) === 1);
    const retried = await comment(two, key, 'Killed.');
    expect([retried.status, retried.replayed], retried.body).to.deep.equal([201, 'true']);
    expect(JSON.parse(retried.body).data.content).to.equal('Killed.');
    expect(await rowsWith('Killed.')).to.equal(1);
  });
});
