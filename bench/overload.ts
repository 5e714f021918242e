/** Overload of one process: its highest throughput, and its responses when several times as many requests arrive. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import { loadSecrets } from '../src/platform/config/secrets.js';
import { type PageWanted, restPage } from './cases.js';
import { startDaybook } from './contender.js';
import { type BenchData, prepareData } from './data.js';
import { withClient } from './database.js';
import type { Probes } from './health-probe.js';
import { createSessions } from './notifications-data.js';
import { randomIds } from './random.js';
import { FOLDER, log, runBenchmark, startPostgres } from './session.js';

/** One write in as many requests. */
const REQUESTS_PER_WRITE = 20;
const SETTINGS = { LIMIT_WRITES: '1000000000/1d', LIMIT_WRITE_BYTES: '1GB/1m', RESPONSE_CACHE_MB: '0' };
/** So few that 1,000 connections are prepared in less than the time in which responses are not counted. */
const REQUESTS_PER_CLIENT = 2 * REQUESTS_PER_WRITE;
/** Responses in the first second are not counted: the connections are opened in it. */
const RAMP_MS = 1_000;

interface Phase {
  title: string;
  /** Of all requests, per second. */
  throughput: number;
  /** Of the successful requests, per second. */
  goodput: number;
  /** Of the successful requests, in milliseconds. */
  p50: number;
  p99: number;
  statuses: Record<string, number>;
  errors: number;
  probes: Probes;
}

await runBenchmark({
  numbers: {
    comments: ['comments', 100_000, 1000, 50_000_000],
    // 0: each client sends its requests once. Responses of the first second are not counted.
    seconds: ['duration of each phase', 15, 0, 600],
    connections: ['connections that find the peak', 32, 1, 1000],
    factor: ['arriving requests, as a multiple of the peak', 4, 1, 100],
    clients: ['connections of the overload', 1000, 1, 5000],
  },
  async run({ comments, seconds, connections, factor, clients }, atEnd) {
    const data = await prepareData(await startPostgres(atEnd), comments);
    const url = await startDaybook({ name: 'daybook-overload', databaseUrl: data.url, settings: SETTINGS }, atEnd);
    const token = await writerOf(data);
    const phase = (title: string, options: { connections: number; overallRate?: number }, duration = seconds) => {
      log(title);
      const extent = duration > 0 ? { duration } : { amount: REQUESTS_PER_CLIENT * options.connections };
      return runPhase(title, { url, ...extent, ...options }, (client) => requestsOf(data, token, client));
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
    .slice(0, REQUESTS_PER_CLIENT)
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
  const setupClient = (client: autocannon.Client) => client.setRequests(wanted(clients++).map(restPage));
  const probe = await startProbe(options.url as string);
  let startedAt = Number.POSITIVE_INFINITY;
  const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon({ ...options, timeout: 60, setupClient }, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      if (performance.now() < startedAt) return;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status < 300) times.push(milliseconds);
    });
    startedAt = performance.now() + (options.duration ? RAMP_MS : 0);
  });
  const elapsed = (performance.now() - startedAt) / 1_000;
  const probes = await probe.stop();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const rates = { throughput: all / elapsed, goodput: times.length / elapsed };
  return { title, ...rates, p50: at(0.5), p99: at(0.99), statuses, errors, probes };
}

/** In a thread of its own, so that the load generator does not delay it. */
async function startProbe(url: string): Promise<{ stop(): Promise<Probes> }> {
  const worker = new Worker(new URL('./health-probe.js', import.meta.url), { workerData: url });
  await once(worker, 'message');
  return {
    async stop() {
      worker.postMessage('stop');
      const [probes] = (await once(worker, 'message')) as [Probes];
      return probes;
    },
  };
}

function toText({ title, throughput, goodput, p50, p99, statuses, errors, probes }: Phase): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return `${title}: ${throughput.toFixed(0)} responses per second, ${goodput.toFixed(0)} successful, p50 ${ms(p50)}, p99 ${ms(p99)}
  statuses ${JSON.stringify(statuses)}, connection errors ${errors}
  health checks ${probes.statuses.join(', ')}, median ${ms(probes.medianMs)}, slowest ${ms(probes.slowestMs)}, memory ${probes.largestRssMb.toFixed(0)} MiB
`;
}
