/** Memory of the service during random reads over both APIs: one line per interval. */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { prepareData } from './data.js';
import { startDaybook } from './daybook.js';
import { between } from './options.js';
import { randomFrom } from './random.js';
import { graphqlRequest, restRequest } from './requests.js';
import { FOLDER, startPostgres } from './run.js';

/** Requests of each connection. All of them together are a multiple of the cache. */
const REQUESTS = 5_000;
const CONNECTIONS = 16;

const { values } = parseArgs({
  options: { comments: { type: 'string', default: '1000000' }, minutes: { type: 'string', default: '60' } },
});
const comments = between('comments', values.comments, 1000, 50_000_000);
const minutes = between('minutes', values.minutes, 1, 1440);
const stops: (() => Promise<void>)[] = [];
const atEnd = (stop: () => Promise<void>) => void stops.push(stop);

try {
  const { serverUrl } = await startPostgres(atEnd);
  const data = await prepareData(serverUrl, comments, (line) => process.stderr.write(`${line}\n`));
  const launch = { folder: FOLDER, node: process.execPath, atEnd };
  const url = await startDaybook({ name: 'daybook-memory', databaseUrl: data.url }, launch);
  const randomRequests = (seed: number) => {
    const random = randomFrom(seed);
    return Array.from({ length: REQUESTS }, () => {
      const wanted = { articleId: 1 + Math.floor(random() * data.lastArticleId), page: 1 + Math.floor(random() * 5) };
      return random() < 0.5 ? restRequest(wanted) : graphqlRequest(wanted);
    });
  };
  let seed = 0;
  const setupClient = (client: autocannon.Client) => client.setRequests(randomRequests(seed++));
  const load = autocannon({ url, connections: CONNECTIONS, duration: minutes * 60, setupClient });
  process.stdout.write('minute  RSS MB  daybook_response_cache_bytes\n');
  for (let minute = 0; minute < minutes; await delay(60_000), minute++) await printMemory(url, minute);
  const { non2xx, errors } = await load;
  await printMemory(url, minutes);
  process.stdout.write(`${non2xx + errors} failed requests\n`);
} finally {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
}

async function printMemory(url: string, minute: number): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const mb = (metric('process_resident_memory_bytes') / 2 ** 20).toFixed(0);
  const cacheBytes = metric('daybook_response_cache_bytes').toLocaleString('en');
  process.stdout.write(`${String(minute).padStart(6)}${mb.padStart(8)}${cacheBytes.padStart(30)}\n`);
}
