/** The shares of clients in the connections of the pool: statements and transactions wait here, before they hold a connection. */
import { type Release, WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';

/** Whom statements count for. */
export interface DatabaseClient {
  /** A member, or the requests without a token from one network. */
  readonly key: string;
  /** The network of a request. Its members and its requests without a token together have a share as well. */
  readonly network?: string;
  /** Connections that it can use at the same time. Default: its share. */
  readonly maxConnections?: number;
  /** Transactions that it can run at the same time. Default: no limit other than connections. */
  readonly maxWrites?: number;
}

/** The process itself, whose statements serve many requests, such as the validation of cached responses; also subcommands of operators. */
export const SERVICE_CLIENT: DatabaseClient = { key: 'service', maxConnections: Number.POSITIVE_INFINITY };

/** Background jobs. */
export const JOBS: DatabaseClient = { key: 'jobs' };

/** Of a pool with 10 connections, 4 remain for others. */
const CLIENT_SHARE = 0.6;
const NETWORK_SHARE = 0.8;

/** Statements of one request that wait for a connection or run, outside of a transaction. Further ones wait until one of these has ended. */
const MAX_STATEMENTS = 4;

/** Changes of one member at the same time in each process: more would wait for each other in PostgreSQL, for the counters of the member, and hold locks that the changes of others need. */
export const WRITES_PER_MEMBER = 1;

/** Concurrent changes of the requests without a token of one network, such as logins through a front end that renders on its server. */
export const WRITES_WITHOUT_TOKEN = 6;

/** Concurrent changes of long articles in each process, at most one of each member. */
const LARGE_WRITES = 2;

const MAX_WAITING_WRITES = fixedLimit({
  area: 'Database',
  value: 1_000,
  error: 'SERVICE_UNAVAILABLE',
  about: 'Changes that wait for others of the same member or network, in each process.',
});

const MAX_WAITING_WRITES_OF_CLIENT = fixedLimit({
  area: 'Database',
  value: 100,
  error: 'RATE_LIMITED',
  about: 'Changes of one member, or of the requests without a token from one network, that wait in each process.',
});

const MAX_WRITE_WAIT_MS = fixedLimit({
  area: 'Database',
  value: 10_000,
  unit: 'ms',
  error: 'SERVICE_UNAVAILABLE',
  about: 'Maximum time that a change waits for others of the same member or network.',
});

export interface ShareOptions {
  readonly poolSize: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

export class ConnectionShares {
  /** One permit for each connection. */
  readonly connections: WeightedSemaphore;
  readonly writes: WeightedSemaphore;
  readonly largeWrites: WeightedSemaphore;

  constructor({ poolSize, maxWaiting, maxWaitMs }: ShareOptions) {
    const waiting = {
      maxWaiting: MAX_WAITING_WRITES,
      maxWaitingPerKey: MAX_WAITING_WRITES_OF_CLIENT,
      maxWaitMs: MAX_WRITE_WAIT_MS,
    };
    const permitsPerNetwork = Math.ceil(NETWORK_SHARE * poolSize);
    this.connections = new WeightedSemaphore({
      work: 'statements',
      permits: poolSize,
      permitsPerKey: Math.ceil(CLIENT_SHARE * poolSize),
      permitsPerNetwork,
      maxWaiting,
      maxWaitingPerKey: Math.ceil(NETWORK_SHARE * maxWaiting),
      maxWaitMs,
    });
    this.writes = new WeightedSemaphore({ work: 'changes', permits: poolSize, permitsPerNetwork, ...waiting });
    this.largeWrites = new WeightedSemaphore({
      work: 'long articles',
      permits: LARGE_WRITES,
      permitsPerKey: 1,
      permitsPerNetwork: 1,
      ...waiting,
    });
  }

  /** Waits until a change may run: when others of the same client have ended. @returns the function that ends it */
  async startWrite(client: DatabaseClient, { isLarge = false } = {}): Promise<Release> {
    const { key, network, maxWrites } = client;
    if (maxWrites === undefined) return () => {};
    const releaseLarge = isLarge ? await this.largeWrites.acquire({ key, network }) : () => {};
    try {
      const release = await this.writes.acquire({ key, network, permitsOfKey: maxWrites });
      return () => {
        release();
        releaseLarge();
      };
    } catch (error) {
      releaseLarge();
      throw error;
    }
  }
}

/** The statements of one request: a few of them have a place in the queue, so that other requests of the same client are served as well. */
export class RequestStatements {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @returns a promise if the statement has to wait; call `end` after the statement */
  start(): Promise<void> | undefined {
    if (this.#running < MAX_STATEMENTS) {
      this.#running++;
      return undefined;
    }
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
