/** Worker thread that requests the health checks as a proxy does, until it receives a message. Its result is a `Probes` message. */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

export interface Probes {
  /** Statuses of /healthz and /readyz. */
  statuses: number[];
  medianMs: number;
  slowestMs: number;
  largestRssMb: number;
}

const INTERVAL_MS = 100;

const url: string = workerData;
let isStopping = false;
parentPort?.once('message', () => {
  isStopping = true;
});
parentPort?.postMessage('ready');

const statuses = new Set<number>();
const times: number[] = [];
let largestRssMb = 0;
while (!isStopping) {
  for (const path of ['/healthz', '/readyz']) {
    const sentAt = performance.now();
    const { status } = await fetch(url + path);
    statuses.add(status);
    times.push(performance.now() - sentAt);
  }
  const text = await (await fetch(`${url}/metrics`)).text();
  const rss = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
  largestRssMb = Math.max(largestRssMb, rss / 2 ** 20);
  await delay(INTERVAL_MS);
}
times.sort((a, b) => a - b);
const [medianMs = Number.NaN] = times.slice(times.length / 2);
const result: Probes = { statuses: [...statuses], medianMs, slowestMs: times.at(-1) ?? Number.NaN, largestRssMb };
parentPort?.postMessage(result);
