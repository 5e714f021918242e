/** A client with ordinary requests beside an attack. It runs in a thread, so that the attacker's work does not delay it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HttpRequest } from './http.js';
import { OTHER_NETWORK } from './service.js';

export interface OrdinaryRequest extends HttpRequest {
  readonly name: string;
  /** In place of `body`: sent in turn. */
  readonly bodies?: readonly string[];
  /** Milliseconds between the starts of two requests. */
  readonly everyMs: number;
  /** The longest wait for a response that is allowed. */
  readonly maxWaitMs: number;
}

export interface Waits {
  readonly name: string;
  readonly maxWaitMs: number;
  readonly requests: number;
  readonly longestMs: number;
  readonly medianMs: number;
  /** Responses other than 2xx, as status and beginning of the body. */
  readonly failures: readonly string[];
}

const EVERY_MS = 100;
/** Five times the longest wait measured on two cores, beside the other test processes: 0.69 s. */
const MAX_WAIT_MS = 3_500;

/** Requests of the other client during every attack. */
export const ORDINARY: readonly OrdinaryRequest[] = [
  { name: 'health', method: 'GET', path: '/healthz', everyMs: EVERY_MS, maxWaitMs: MAX_WAIT_MS },
  { name: 'page', method: 'GET', path: '/api/articles/1/comments', everyMs: EVERY_MS, maxWaitMs: MAX_WAIT_MS },
];

export interface OtherClient {
  stop(): Promise<Waits[]>;
}

export async function startOtherClient(url: string, requests: readonly OrdinaryRequest[]): Promise<OtherClient> {
  const worker = new Worker(new URL('./other-client-worker.js', import.meta.url), {
    workerData: { url, localAddress: OTHER_NETWORK, requests },
  });
  await once(worker, 'message');
  return {
    stop: async () => {
      worker.postMessage('stop');
      const [waits] = (await once(worker, 'message')) as [Waits[]];
      await worker.terminate();
      return waits;
    },
  };
}
