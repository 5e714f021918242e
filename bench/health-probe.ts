/** Worker thread that requests the health checks as a proxy does, until it receives a message. Its result is a `Probes` message. */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { RESIDENT, readMetric } from './metrics.js';

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
  largestRssMb = Math.max(largestRssMb, (await readMetric(url, RESIDENT)) / 2 ** 20);
  await delay(INTERVAL_MS);
}
times.sort((a, b) => a - b);
const [medianMs = Number.NaN] = times.slice(times.length / 2);
const result: Probes = { statuses: [...statuses], medianMs, slowestMs: times.at(-1) ?? Number.NaN, largestRssMb };
parentPort?.postMessage(result);
