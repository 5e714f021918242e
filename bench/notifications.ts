/** Measures live notifications: latency from commit to client, and memory per open stream. */
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded.js';
import { loadSecrets } from '../src/database/embedded/secrets.js';
import { startDaybook } from './daybook.js';
import { prepareReaders } from './notifications-data.js';
import { type Load, listenBare, tellAll } from './notifications-load.js';
import { OPENERS, openAll, type Transport } from './notifications-streams.js';
import { between } from './options.js';
import { describeMachine } from './report.js';
import { percentile } from './search-cases.js';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../.bench');
/** Streams opened and closed as a warm-up before the measurement. */
const WARMING = 200;
/** Milliseconds to wait for garbage collection and for the last notifications. */
const REST = 6_000;

const stops: (() => Promise<unknown>)[] = [];
const number = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    streams: number('1000'),
    rate: number('200'),
    seconds: number('20'),
    transport: { type: 'string', default: 'sse' },
  },
});

try {
  const streams = between('streams', values.streams, 1, 20_000);
  const load = { rate: between('rate', values.rate, 1, 5_000), seconds: between('seconds', values.seconds, 1, 600) };
  if (!Object.hasOwn(OPENERS, values.transport)) throw new Error('--transport must be sse or websocket.');
  await run(values.transport as Transport, streams, load);
} catch (error) {
  process.stderr.write(`The bench cannot go on. ${(error as Error).message}\n`);
  process.exitCode = 1;
}
for (const stop of stops.toReversed()) await stop();
process.exit();

async function run(transport: Transport, streams: number, load: Load): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const { databasePassword, jwtSecret } = await loadSecrets(FOLDER);
  const postgres = await startEmbeddedPostgres({ dataDir: FOLDER, password: databasePassword });
  stops.push(postgres.stop);
  const machine = await describeMachine(postgres.url);
  const data = await prepareReaders(postgres.url, streams, jwtSecret);
  const launch = {
    folder: FOLDER,
    node: process.execPath,
    atEnd: (stop: () => Promise<void>) => void stops.push(stop),
  };
  const urls = [1, 2].map((n) => startDaybook({ databaseUrl: data.databaseUrl, name: `daybook-${n}` }, launch));
  const services = await Promise.all(urls);
  const arrivals = new Map<number, number>();
  const calls = new Map<number, number[]>();
  const open = (count: number) =>
    openAll(services, data.readers.slice(0, count), OPENERS[transport], (id, at) => arrivals.set(id, at));
  (await open(Math.min(WARMING, streams)))();
  await delay(REST);
  const before = await memoryOf(services);
  await open(streams);
  await delay(REST);
  const after = await memoryOf(services);
  const called = (memberId: number, at: number) => calls.set(memberId, [...(calls.get(memberId) ?? []), at]);
  stops.push(await listenBare(data.databaseUrl, called));
  const told = await tellAll(data, load);
  await delay(REST);
  const times = told.map(({ id, at }) => (arrivals.get(id) ?? Number.NaN) - at);
  // Each member has one NOTIFY per notification, in the same order.
  const floor = told.map(({ memberId, at }) => (calls.get(memberId)?.shift() ?? Number.NaN) - at);
  const [ours, bare] = [summary(times), summary(floor)];
  const kb = (after - before) / 1024 / streams;
  process.stdout.write(`${machine.cores} cores (${machine.cpu}), Node ${machine.node}, PostgreSQL ${machine.postgres}
load average ${machine.loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after
${streams} streams (${transport}) at 2 processes, ${load.rate} notifications a second for ${load.seconds} s
told ${told.length}, missing ${times.filter(Number.isNaN).length}
commit to client    p50 ${ours.p50} ms, p99 ${ours.p99} ms, longest ${ours.most} ms
commit to bare call p50 ${bare.p50} ms, p99 ${bare.p99} ms (the floor)
memory              ${kb.toFixed(1)} KB a stream (resident memory of both processes, ${(before / 1e6).toFixed(0)} to ${(after / 1e6).toFixed(0)} MB)
`);
}

function summary(times: readonly number[]) {
  const sorted = times.filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  const at = (share: number) => percentile(sorted, share).toFixed(1);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** Total memory of the processes in bytes, as reported by the system. */
async function memoryOf(services: readonly string[]): Promise<number> {
  const sizes = services.map(async (url) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
