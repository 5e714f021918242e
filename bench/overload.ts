/** Overload of one process: its highest throughput, and its responses when several times as many requests arrive. */
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { loadSecrets } from '../src/config/secrets.js';
import { type PageWanted, restPage } from './cases.js';
import { startDaybook } from './contender.js';
import { type BenchData, prepareData } from './data.js';
import { withClient } from './database.js';
import { createSessions } from './notifications-data.js';
import { randomIds } from './random.js';
import { FOLDER, log, runBenchmark, startPostgres } from './session.js';

/** One write in as many requests. */
const REQUESTS_PER_WRITE = 20;
const SETTINGS = { LIMIT_WRITES: '1000000000/1d', LIMIT_WRITE_BYTES: '1GB/1m', RESPONSE_CACHE_MB: '0' };
const PROBE_INTERVAL_MS = 250;

interface Phase {
  title: string;
  /** Of all requests, per second. */
  answered: number;
  /** Of the successful requests, per second. */
  goodput: number;
  /** Of the successful requests, in milliseconds. */
  p50: number;
  p99: number;
  statuses: Record<string, number>;
  errors: number;
  probes: Probes;
}

interface Probes {
  /** Statuses of /healthz and /readyz. */
  statuses: number[];
  slowestMs: number;
  largestRssMb: number;
}

await runBenchmark({
  numbers: {
    comments: ['comments', 100_000, 1000, 50_000_000],
    seconds: ['duration of each phase', 15, 1, 600],
    connections: ['connections that find the peak', 32, 1, 1000],
    factor: ['arriving requests, as a multiple of the peak', 4, 1, 100],
    clients: ['connections of the overload', 1000, 1, 5000],
  },
  async run({ comments, seconds, connections, factor, clients }, atEnd) {
    const data = await prepareData(await startPostgres(atEnd), comments);
    const url = await startDaybook({ name: 'daybook-overload', databaseUrl: data.url, settings: SETTINGS }, atEnd);
    const token = await writerOf(data);
    const phase = (
      title: string,
      options: Pick<autocannon.Options, 'connections' | 'overallRate'>,
      duration = seconds,
    ) => {
      log(title);
      return runPhase(title, { url, duration, ...options }, (client) => requestsOf(data, token, client));
    };
    await phase('Warming up', { connections }, Math.ceil(seconds / 3));
    const peak = await phase(`Peak, ${connections} connections`, { connections });
    const overallRate = Math.round(factor * peak.goodput);
    const overload = await phase(`${overallRate} requests per second`, { connections: clients, overallRate });
    const after = await phase(`After it, ${connections} connections`, { connections });
    return { phases: [peak, overload, after], share: overload.goodput / peak.goodput };
  },
  toText: ({ phases, share }) =>
    `${phases.map(toText).join('')}Goodput of the overload: ${share.toFixed(2)} of the peak\n`,
});

async function writerOf(data: BenchData): Promise<string> {
  const { jwtSecret } = await loadSecrets(FOLDER);
  const [writer] = await withClient(data.url, (client) => createSessions(client, 1, jwtSecret));
  return writer?.token ?? '';
}

function requestsOf(data: BenchData, token: string, client: number): PageWanted[] {
  return randomIds(data.firstArticleId, data.lastArticleId, client)
    .slice(0, 1_000)
    .map((articleId, n) => ({
      articleId,
      page: 1,
      ...(n % REQUESTS_PER_WRITE === client % REQUESTS_PER_WRITE && { token }),
    }));
}

async function runPhase(
  title: string,
  options: autocannon.Options,
  wanted: (client: number) => PageWanted[],
): Promise<Phase> {
  let clients = 0;
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const stop = new AbortController();
  const probing = probe(options.url as string, stop.signal);
  const startedAt = performance.now();
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    const setupClient = (client: autocannon.Client) => client.setRequests(wanted(clients++).map(restPage));
    const instance = autocannon({ ...options, timeout: 60, setupClient }, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 300) times.push(milliseconds);
    });
  });
  const elapsed = (performance.now() - startedAt) / 1_000;
  stop.abort();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const rates = { answered: all / elapsed, goodput: times.length / elapsed };
  return { title, ...rates, p50: at(0.5), p99: at(0.99), statuses, errors, probes: await probing };
}

/** Requests the health checks as a proxy does, until `signal` is aborted. */
async function probe(url: string, signal: AbortSignal): Promise<Probes> {
  const probes: Probes = { statuses: [], slowestMs: 0, largestRssMb: 0 };
  const found = new Set<number>();
  while (!signal.aborted) {
    for (const path of ['/healthz', '/readyz']) {
      const sentAt = performance.now();
      const { status } = await fetch(url + path);
      found.add(status);
      probes.slowestMs = Math.max(probes.slowestMs, performance.now() - sentAt);
    }
    const text = await (await fetch(`${url}/metrics`)).text();
    const rss = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    probes.largestRssMb = Math.max(probes.largestRssMb, rss / 2 ** 20);
    await delay(PROBE_INTERVAL_MS);
  }
  return { ...probes, statuses: [...found] };
}

function toText({ title, answered, goodput, p50, p99, statuses, errors, probes }: Phase): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return `${title}: ${answered.toFixed(0)} responses per second, ${goodput.toFixed(0)} successful, p50 ${ms(p50)}, p99 ${ms(p99)}
  statuses ${JSON.stringify(statuses)}, connection errors ${errors}
  health checks ${probes.statuses.join(', ')}, slowest ${ms(probes.slowestMs)}, memory ${probes.largestRssMb.toFixed(0)} MiB
`;
}
