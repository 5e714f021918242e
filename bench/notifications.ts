/** Measures live notifications: latency from commit to client, and memory per open stream. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSecrets } from '../src/platform/config/secrets.js';
import { startDaybook } from './contender.js';
import { RESIDENT, readMetric } from './metrics.js';
import { prepareReaders } from './notifications-data.js';
import { createNotifications, type Load, listenBare } from './notifications-load.js';
import { OPENERS, openAll, type Transport } from './notifications-streams.js';
import { describeMachine } from './report.js';
import { percentile } from './search-cases.js';
import { type AtEnd, FOLDER, runBenchmark, startPostgres } from './session.js';

/** Streams opened and closed as a warm-up before the measurement. */
const WARMING = 200;

await runBenchmark({
  numbers: {
    streams: ['open streams', 1000, 1, 20_000],
    rate: ['notifications per second', 200, 1, 5_000],
    seconds: ['duration of the load', 20, 1, 600],
    rest: ['seconds to wait for garbage collection and for the last notifications', 6, 1, 60],
  },
  texts: { transport: 'sse' },
  run,
  toText,
});

interface Options extends Load {
  rest: number;
  streams: number;
  /** A `Transport`. */
  transport: string;
}

async function run({ transport, streams, rest, ...load }: Options, atEnd: AtEnd) {
  const open = OPENERS[transport as Transport];
  if (!open) throw new Error('--transport must be sse or websocket.');
  const postgresUrl = await startPostgres(atEnd);
  const machine = await describeMachine(postgresUrl);
  const data = await prepareReaders(postgresUrl, streams, (await loadSecrets(FOLDER)).jwtSecret);
  const start = (n: number) => startDaybook({ databaseUrl: data.databaseUrl, name: `daybook-${n}` }, atEnd);
  // A single stream needs one.
  const services = await Promise.all([1, 2].slice(0, streams).map(start));
  const arrivals = new Map<number, number>();
  const calls = new Map<number, number[]>();
  const openStreams = (count: number) =>
    openAll(services, data.readers.slice(0, count), open, (id, at) => arrivals.set(id, at));
  (await openStreams(Math.min(WARMING, streams)))();
  await delay(rest * 1_000);
  const before = await memoryOf(services);
  await openStreams(streams);
  await delay(rest * 1_000);
  const after = await memoryOf(services);
  const called = (memberId: number, at: number) => calls.set(memberId, [...(calls.get(memberId) ?? []), at]);
  atEnd(await listenBare(data.databaseUrl, called));
  const created = await createNotifications(data, load);
  await delay(rest * 1_000);
  const times = created.map(({ id, at }) => (arrivals.get(id) ?? Number.NaN) - at);
  // Each member has one NOTIFY per notification, in the same order.
  const floor = created.map(({ memberId, at }) => (calls.get(memberId)?.shift() ?? Number.NaN) - at);
  return {
    machine,
    loadAfter: loadavg()[0] ?? 0,
    transport,
    streams,
    load,
    created: created.length,
    missing: times.filter(Number.isNaN).length,
    client: summary(times),
    floor: summary(floor),
    memory: { before, after },
  };
}

function toText(report: Awaited<ReturnType<typeof run>>): string {
  const { machine, loadAfter, transport, streams, load, created, missing, client, floor, memory } = report;
  const kb = (memory.after - memory.before) / 1024 / streams;
  return `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}
load average ${machine.loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after
${streams} streams (${transport}) at 2 processes, ${load.rate} notifications a second for ${load.seconds} s
created ${created}, missing ${missing}
commit to client    p50 ${client.p50} ms, p99 ${client.p99} ms, longest ${client.max} ms
commit to bare call p50 ${floor.p50} ms, p99 ${floor.p99} ms (the floor)
memory              ${kb.toFixed(1)} KB a stream (resident memory of both processes, ${(memory.before / 1e6).toFixed(0)} to ${(memory.after / 1e6).toFixed(0)} MB)
`;
}

function summary(times: readonly number[]) {
  const sorted = times.filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  const at = (share: number) => percentile(sorted, share).toFixed(1);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Total memory of the processes in bytes, as reported by the system. */
async function memoryOf(services: readonly string[]): Promise<number> {
  const sizes = await Promise.all(services.map((url) => readMetric(url, RESIDENT)));
  return sizes.reduce((sum, size) => sum + size, 0);
}
