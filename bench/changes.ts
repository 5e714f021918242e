/**
 * The feed of changes of a large journal: how long it takes to fill it, and to follow it from the beginning while members write. At the end the copy is
 * compared with the comments of the database.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { register, send, WRITE_SETTINGS } from './client.js';
import { startDaybook } from './contender.js';
import { prepareData } from './data.js';
import { withClient } from './database.js';
import { RESIDENT, readMetric } from './metrics.js';
import { log, runBenchmark, startPostgres } from './session.js';
import { median } from './targets.js';

const PAGE = 500;
/** Of the service, while it numbers the last changes. */
const POLL_MS = 100;

interface Page {
  changes: { type: string; id: number; action: string }[];
  cursor: string;
  hasMore: boolean;
}

await runBenchmark({
  numbers: {
    comments: [
      'comments of the journal; other objects: 10,000 members, a hundredth as many articles',
      1_000_000,
      1_000,
      10_000_000,
    ],
    writers: ['members who write all the time', 50, 1, 1_000],
  },
  async run({ comments, writers }, atEnd) {
    const { url: databaseUrl } = await prepareData(await startPostgres(atEnd), comments);
    await withClient(databaseUrl, (client) => client.query('select reset_changes()'));
    const url = await startDaybook({ name: 'changes', databaseUrl, settings: WRITE_SETTINGS }, atEnd);
    const filledFrom = performance.now();
    while ((await fetch(`${url}/api/changes`)).status === 503) await delay(POLL_MS);
    const fillSeconds = (performance.now() - filledFrom) / 1_000;
    log(`Filled in ${fillSeconds.toFixed(1)} s.`);

    const tokens = [];
    for (let count = 0; count < writers; count++) tokens.push(await register(url, `bench${Date.now()}x${count}`));
    let isOver = false;
    let written = 0;
    const writing = tokens.map(async (token, index) => {
      for (let n = index; !isOver; n += writers) {
        await send(url, `POST /api/articles/${1 + (n % 10)}/comments`, { content: `An owl: ${n}.` }, token);
        written++;
      }
    });

    const copied = new Set<number>();
    const pageMs: number[] = [];
    let cursor = '';
    let received = 0;
    const follow = async () => {
      for (let hasMore = true; hasMore; ) {
        const startedAt = performance.now();
        const page: Page = await send(url, `GET /api/changes?size=${PAGE}${cursor && `&since=${cursor}`}`);
        pageMs.push(performance.now() - startedAt);
        for (const { type, id, action } of page.changes)
          if (type === 'comment') copied[action === 'removed' ? 'delete' : 'add'](id);
        received += page.changes.length;
        ({ cursor, hasMore } = page);
      }
    };
    const before = (await readMetric(url, RESIDENT)) / 1e6;
    const startedAt = performance.now();
    await follow();
    const passSeconds = (performance.now() - startedAt) / 1_000;
    const after = (await readMetric(url, RESIDENT)) / 1e6;
    isOver = true;
    await Promise.all(writing);
    const { ids } = await withClient(databaseUrl, async (client) => {
      while ((await client.query('select from change_log limit 1')).rowCount !== 0) await delay(POLL_MS);
      await follow();
      const found = 'select array_agg(id::integer) as ids from comments';
      return (await client.query<{ ids: number[] }>(found)).rows[0] ?? { ids: [] };
    });
    const missing = ids.filter((id) => !copied.delete(id)).length;
    const tenth = Math.ceil(pageMs.length / 10);
    return {
      fillSeconds,
      received,
      passSeconds,
      written,
      firstPagesMs: median(pageMs.slice(0, tenth)),
      lastPagesMs: median(pageMs.slice(-tenth)),
      memoryMb: { before, after },
      missing,
      unknown: copied.size,
    };
  },
  toText: ({ fillSeconds, received, passSeconds, written, firstPagesMs, lastPagesMs, memoryMb, missing, unknown }) => `\
filled in        ${fillSeconds.toFixed(1)} s
read             ${received} changes in ${passSeconds.toFixed(1)} s, beside ${written} writes
pages of ${PAGE}     ${firstPagesMs.toFixed(0)} ms at the beginning, ${lastPagesMs.toFixed(0)} ms at the end (medians)
memory           ${memoryMb.before.toFixed(0)} to ${memoryMb.after.toFixed(0)} MB
comments         ${missing} missing in the copy, ${unknown} that do not exist
`,
});
