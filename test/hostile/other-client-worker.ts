/** The thread of the other client: sends each of its requests at intervals and records the longest wait. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { OrdinaryRequest, Waits } from './other-client.js';

interface WorkerData {
  url: string;
  localAddress: string;
  requests: readonly OrdinaryRequest[];
}

/** Request timeout in milliseconds: longer than every bound, also on a busy machine. */
const TIMEOUT_MS = 120_000;
const MAX_FAILURES = 5;

const { url, localAddress, requests } = workerData as WorkerData;
const agent = new Agent({ keepAlive: true, localAddress });
const port = parentPort;
let isStopped = false;
port?.once('message', () => {
  isStopped = true;
});

const loops = requests.map(repeat);
port?.postMessage('started');
port?.postMessage(await Promise.all(loops));

async function repeat(ordinary: OrdinaryRequest): Promise<Waits> {
  const waits = {
    name: ordinary.name,
    maxWaitMs: ordinary.maxWaitMs,
    requests: 0,
    longestMs: 0,
    medianMs: 0,
    failures: [] as string[],
  };
  const times: number[] = [];
  do {
    const started = performance.now();
    const failure = await failureOf(ordinary, waits.requests);
    const waited = performance.now() - started;
    waits.requests++;
    times.push(waited);
    waits.longestMs = Math.max(waits.longestMs, waited);
    if (failure && waits.failures.length < MAX_FAILURES) waits.failures.push(failure);
    await sleep(Math.max(0, ordinary.everyMs - waited));
  } while (!isStopped);
  waits.medianMs = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return waits;
}

/** Undefined for a 2xx response. */
function failureOf(
  { method = 'POST', path, headers, body, bodies }: OrdinaryRequest,
  round: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(new URL(path, url), { agent, timeout: TIMEOUT_MS, method, ...(headers && { headers }) });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
    outgoing.once('error', (error) => resolve(error.message));
    outgoing.once('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
      } catch (error) {
        return resolve(String(error));
      }
      const { statusCode = 0 } = response;
      const isFine = statusCode >= 200 && statusCode < 300;
      const text = Buffer.concat(chunks).toString();
      // GraphQL reports errors of fields with status 200.
      const hasErrors = text.slice(0, 20).includes('"errors"');
      resolve(isFine && !hasErrors ? undefined : `${statusCode} ${text.slice(0, 200)}`);
    });
    outgoing.end(bodies ? bodies[round % bodies.length] : body);
  });
}
