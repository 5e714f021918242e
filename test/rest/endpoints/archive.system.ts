/** An archive that is too large for memory: it is read page by page, as fast as the client reads. */
import { createWriteStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { statements } from '../../../src/platform/database/observed-client.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildArticle, buildMember } from '../../support/build.js';
import { unzip } from '../../support/exported.js';
import { makeFolder } from '../../support/folder.js';
import { statementsDuring } from '../../support/statements.js';
import { until } from '../../support/until.js';

const app = useApp();
const COMMENTS = 60_000;

/** Comments of the member on an article of another one, with 992 characters each that compress badly: buffers must not hold the archive. */
async function addComments(member: BuiltMember, count: number): Promise<void> {
  const { id } = await buildArticle(app.url);
  for (let first = 1; first <= count; first += 10_000) {
    await app.database.sequelize.query(`insert into comments (article_id, member_id, content, created_at)
      select ${id}, ${member.id}, (select left(string_agg(encode(sha512(concat(n, ' ', i)::bytea), 'hex'), ''), 992) from generate_series(1, 8) i), now() - n % 1000 * interval '1 second'
      from generate_series(${first}, ${Math.min(count, first + 9_999)}) n`);
  }
}

/** A response that is not read until `resume`. */
async function openPaused(token: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    get(`${app.url}/api/members/me/archive`, { headers, agent: false }, (response) => resolve(response.pause())).once(
      'error',
      reject,
    );
  });
}

/** Counts the pages of comments that are read from now on. */
function countPages(): { pages: number; end(): void } {
  const counter = { pages: 0, end: () => statements.unsubscribe(listen) };
  const listen = (message: unknown) => {
    if ((message as { text: string }).text.includes('(c.created_at, c.id) > ($2, $3)')) counter.pages++;
  };
  statements.subscribe(listen);
  return counter;
}

describe(`An archive with ${COMMENTS} comments`, function () {
  this.timeout(300_000);
  let member: BuiltMember;
  before(async () => {
    member = await buildMember(app.url);
    await addComments(member, COMMENTS);
    await app.database.sequelize.query('analyze comments');
  });
  beforeEach(() => app.database.sequelize.query('delete from rate_limits'));

  it('is read page by page, as fast as the client reads, without a transaction', async () => {
    const counter = countPages();
    const bytes = usedBytes();
    const response = await openPaused(member.token);
    await until(() => counter.pages > 0);
    await settled(() => counter.pages);
    expect(counter.pages).to.be.below(COMMENTS / 1_000 / 2);
    expect(usedBytes() - bytes, 'while the client does not read').to.be.below(MAX_GROWTH_BYTES);
    const [open] = await app.database.sequelize.query(`select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
    expect(open).to.deep.equal([]);
    const path = join(await makeFolder(), 'archive.zip');
    await pipeline(response, withLimitedMemory(bytes), createWriteStream(path));
    counter.end();
    expect(counter.pages).to.equal(COMMENTS / 1_000 + 1);
    const entries = await unzip(path);
    const ids = JSON.parse(entries.get('comments.json')?.toString() ?? '[]').map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).to.equal(COMMENTS);
  });

  it('is not read any further after the client has disconnected', async () => {
    const counter = countPages();
    const response = await openPaused(member.token);
    await until(() => counter.pages > 0);
    response.destroy();
    await settled(() => counter.pages);
    const read = counter.pages;
    const rest = await statementsDuring(() => new Promise((resolve) => setTimeout(resolve, 300)));
    counter.end();
    expect(read).to.be.below(COMMENTS / 1_000 / 2);
    expect(rest.filter((text) => text.includes('comments'))).to.deep.equal([]);
  });
});

/** Half of the text of the comments: buffers that the collector has not freed yet count too. */
const MAX_GROWTH_BYTES = COMMENTS * 500;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Measures the memory every 4 MB. */
function withLimitedMemory(before: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let received = 0;
    for await (const chunk of chunks) {
      yield chunk;
      received += chunk.length;
      if (received < 4_000_000) continue;
      received = 0;
      expect(usedBytes() - before, 'while the client reads').to.be.below(MAX_GROWTH_BYTES);
    }
  };
}

/** Resolves when the value has not changed for 300 ms. */
async function settled(read: () => number): Promise<void> {
  for (let last = -1; last !== read(); ) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
