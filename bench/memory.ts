/** Memory of the service during random reads over both APIs: one line per minute. */
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { graphqlPage, restPage } from './cases.js';
import { startDaybook } from './contender.js';
import { prepareData } from './data.js';
import { FEWEST } from './measure.js';
import { RESIDENT, readMetric } from './metrics.js';
import { randomFrom } from './random.js';
import { log, runBenchmark, startPostgres } from './session.js';

/** Requests of each connection. All of them together are a multiple of the cache. */
const REQUESTS = 5_000;
const CONNECTIONS = 16;

interface Memory {
  rssBytes: number;
  cacheBytes: number;
}

await runBenchmark({
  numbers: { comments: ['comments', 1_000_000, 1000, 50_000_000], minutes: ['duration', 60, 0, 1440] },
  async run({ comments, minutes }, atEnd) {
    const data = await prepareData(await startPostgres(atEnd), comments);
    const url = await startDaybook({ name: 'daybook-memory', databaseUrl: data.url }, atEnd);
    const randomRequests = (seed: number) => {
      const random = randomFrom(seed);
      return Array.from({ length: minutes > 0 ? REQUESTS : FEWEST }, () => {
        const articleId = 1 + Math.floor(random() * data.lastArticleId);
        const wanted = { articleId, page: 1 + Math.floor(random() * 5) };
        return random() < 0.5 ? restPage(wanted) : graphqlPage(wanted);
      });
    };
    let seed = 0;
    const setupClient = (client: autocannon.Client) => client.setRequests(randomRequests(seed++));
    const extent = minutes > 0 ? { duration: minutes * 60 } : { amount: FEWEST * CONNECTIONS };
    const load = autocannon({ url, connections: CONNECTIONS, ...extent, setupClient });
    const samples: Memory[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      samples.push(await readMemory(url));
      log(toLine(samples.at(-1), minute));
      await delay(60_000);
    }
    const { non2xx, errors } = await load;
    samples.push(await readMemory(url));
    return { samples, failedRequests: non2xx + errors };
  },
  toText: ({ samples, failedRequests }) => `${samples.map(toLine).join('\n')}\n${failedRequests} failed requests\n`,
});

async function readMemory(url: string): Promise<Memory> {
  return {
    rssBytes: await readMetric(url, RESIDENT),
    cacheBytes: await readMetric(url, 'daybook_response_cache_bytes'),
  };
}

function toLine(memory: Memory | undefined, minute: number): string {
  const mb = (bytes = 0) => (bytes / 2 ** 20).toFixed(1).padStart(7);
  return `minute ${minute}: RSS ${mb(memory?.rssBytes)} MiB, daybook_response_cache_bytes ${mb(memory?.cacheBytes)} MiB`;
}
