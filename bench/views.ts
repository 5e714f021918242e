/** Processor time of a view, compared with that of a cached read of the same articles. */
import autocannon from 'autocannon';
import { startDaybook } from './contender.js';
import { prepareData } from './data.js';
import { FEWEST } from './measure.js';
import { readMetric } from './metrics.js';
import { LOAD_OPTIONS } from './options.js';
import { randomFrom, randomIds } from './random.js';
import { log, runBenchmark, startPostgres } from './session.js';
import { median } from './targets.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const CPU = 'process_cpu_seconds_total';

const KINDS = ['read', 'view'] as const;

/** Of one round: microseconds of the service's process for each request, without those of PostgreSQL, which only reads use. */
type Round = Record<(typeof KINDS)[number], number>;

await runBenchmark({
  numbers: { comments: ['comments', 100_000, 1000, 50_000_000], ...LOAD_OPTIONS },
  async run({ comments, seconds, rounds, connections }, atEnd) {
    const data = await prepareData(await startPostgres(atEnd), comments);
    const settings = { TRUST_PROXY: '1' };
    const url = await startDaybook({ name: 'daybook-views', databaseUrl: data.url, settings }, atEnd);
    // Few enough that all of them are cached.
    const ids = randomIds(data.firstArticleId, data.lastArticleId, 0).slice(0, 200);
    const requests = {
      read: () => ids.map((id) => ({ method: 'GET' as const, path: `/api/articles/${id}` })),
      view: (seed: number) => views(ids, seed),
    };
    const measured: Round[] = [];
    for (let round = seconds > 0 ? 0 : 1; round <= rounds; round++) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
      const result: Round = { read: 0, view: 0 };
      for (const kind of KINDS) {
        let seed = round * connections;
        const extent = seconds > 0 ? { duration: seconds } : { amount: FEWEST * connections };
        const setupClient = (client: autocannon.Client) => client.setRequests(requests[kind](seed++));
        result[kind] = await microsecondsFor(url, () => autocannon({ url, connections, ...extent, setupClient }));
      }
      if (round > 0) measured.push(result);
    }
    return { rounds: measured, ratio: median(measured.map(({ view, read }) => view / read)) };
  },
  toText: ({ rounds, ratio }) =>
    `${rounds.map(({ read, view }) => `cached read ${read.toFixed(0)} µs, view ${view.toFixed(0)} µs\n`).join('')}view / cached read: ${ratio.toFixed(2)}\n`,
});

/** Of different readers. */
function views(ids: readonly number[], seed: number): autocannon.Request[] {
  const random = randomFrom(seed);
  const part = () => Math.floor(random() * 256);
  return Array.from({ length: 5_000 }, (_, n) => ({
    method: 'POST' as const,
    path: `/api/articles/${ids[n % ids.length]}/views`,
    headers: { 'user-agent': BROWSER, 'x-forwarded-for': `10.${part()}.${part()}.${part()}` },
  }));
}

async function microsecondsFor(url: string, load: () => PromiseLike<autocannon.Result>): Promise<number> {
  const before = await readMetric(url, CPU);
  const result = await load();
  const used = (await readMetric(url, CPU)) - before;
  if (result['2xx'] === 0 || result.non2xx > 0) throw new Error(`${result.non2xx} requests failed.`);
  return (used * 1e6) / result['2xx'];
}
