/** The shares of clients in the connections of the pool: statements and transactions wait here, before they hold a connection. */
import { WeightedSemaphore } from '../concurrency/weighted-semaphore.js';
import { fixedLimit } from '../config/fixed-limit.js';
import { sharedResource } from '../config/shared-resource.js';

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
export const SERVICE: DatabaseClient = { key: 'service', maxConnections: Number.POSITIVE_INFINITY };

/** Background jobs. */
export const JOBS: DatabaseClient = { key: 'jobs' };

/** Of a pool with 10 connections, 4 remain for others. */
const CLIENT_SHARE = 0.6;
const NETWORK_SHARE = 0.8;

const MAX_STATEMENTS = fixedLimit({
  area: 'Database',
  value: 4,
  error: null,
  about:
    'Statements of one request that wait for a connection or run, outside of a transaction. Further ones wait until one of these has ended.',
});

/** They would wait for each other in PostgreSQL, for the counters of the member, and hold locks that the changes of others need. */
export const WRITES_PER_MEMBER = fixedLimit({
  area: 'Database',
  value: 1,
  error: null,
  about: 'Changes of one member that run at the same time in each process. Further ones wait, without a connection.',
});

/** Requests without a token of one network, such as logins through a front end that renders on its server. */
export const WRITES_WITHOUT_TOKEN = fixedLimit({
  area: 'Database',
  value: 6,
  error: null,
  about: 'Concurrent changes of the requests without a token from one network, in each process. Further ones wait.',
});

const LARGE_WRITES = fixedLimit({
  area: 'Database',
  value: 2,
  error: null,
  about: 'Concurrent changes of long articles in each process, at most one of each member. Further ones wait.',
});

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

sharedResource({
  name: 'Connections of the database pool, and statements that wait for one',
  queue: 'statements',
  bound: 'DATABASE_POOL_SIZE; DATABASE_POOL_WAITING wait, for at most DATABASE_POOL_TIMEOUT',
  fairness:
    'Networks in turn, and the clients of each in turn; of a full queue, the newest task of the network and client with the most is rejected.',
  largestShare:
    '60 % of the connections by one member, or by the requests without a token of a network; 80 % by one network; 4 statements by one request; a snapshot is one connection',
  test: [
    'test/platform/database/connection-shares.test.ts',
    'are left to other networks by many members of one network',
  ],
});

sharedResource({
  name: 'Row locks, and transactions that change data',
  queue: 'changes',
  bound:
    'DATABASE_POOL_SIZE; 1,000 wait, without a connection, for at most 10 s; DATABASE_LOCK_TIMEOUT and DATABASE_TRANSACTION_TIMEOUT bound the time',
  fairness:
    'Networks in turn, and the clients of each in turn; of a full queue, the newest task of the network and client with the most is rejected.',
  largestShare: '1 transaction of one member; 6 of the requests without a token of a network; 100 wait',
  test: ['test/platform/database/connection-shares.test.ts', 'are used for at most one change of one member'],
});

sharedResource({
  name: 'Processor time of PostgreSQL for the search index of long articles',
  queue: 'long articles',
  bound: '2 at a time; 1,000 wait for at most 10 s',
  fairness:
    'Networks in turn, and the clients of each in turn; of a full queue, the newest task of the network and client with the most is rejected.',
  largestShare: '1 of one network; 100 wait',
  test: ['test/hostile/fair-shares.system.ts', 'that writes long articles on 24 connections'],
});

sharedResource({
  name: 'Connections of background jobs to the database',
  bound: '4 statements at a time',
  fairness: 'A client of their own in the queue for connections.',
  largestShare: '4 statements',
  test: ['test/platform/database/connection-shares.test.ts', 'are used for at most four statements of jobs'],
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

  /** Runs a change when others of the same client have ended. */
  async write<Result>(client: DatabaseClient, isLarge: boolean, work: () => Promise<Result>): Promise<Result> {
    const { key, network, maxWrites } = client;
    if (maxWrites === undefined) return work();
    const run = () => this.writes.run({ key, network, permitsOfKey: maxWrites }, work);
    return isLarge ? this.largeWrites.run({ key, network }, run) : run();
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
