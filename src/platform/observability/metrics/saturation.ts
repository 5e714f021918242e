/** Use of the bounded resources of this process: connection pools, queues for expensive work, connections, streams and buffers. */
import { Counter, Gauge } from 'prom-client';

export interface PoolState {
  /** Maximum number of connections. */
  max: number;
  inUse: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

const pools = new Map<() => PoolState, string>();

/** Adds a database connection pool to the metrics. @returns a function that removes it */
export function watchPool(name: string, read: () => PoolState): () => void {
  pools.set(read, name);
  return () => pools.delete(read);
}

const poolConnections = new Gauge({
  name: 'daybook_db_pool_connections',
  help: 'Open connections to the database, by pool and state.',
  labelNames: ['pool', 'state'] as const,
});

const maxPoolConnections = new Gauge({
  name: 'daybook_db_pool_connections_max',
  help: 'Maximum number of connections of a pool.',
  labelNames: ['pool'] as const,
});

new Gauge({
  name: 'daybook_db_pool_waiting',
  help: 'Requests that wait for a connection of a pool.',
  labelNames: ['pool'] as const,
  collect() {
    for (const gauge of [this, poolConnections, maxPoolConnections]) gauge.reset();
    for (const [read, pool] of pools) {
      const { max, inUse, idle, waiting } = read();
      maxPoolConnections.inc({ pool }, max);
      poolConnections.inc({ pool, state: 'in_use' }, inUse);
      poolConnections.inc({ pool, state: 'idle' }, idle);
      this.inc({ pool }, waiting);
    }
  },
});

/** What a queue reports, as `WeightedSemaphore` does. */
interface ObservedQueue {
  readonly state: {
    readonly work: string;
    readonly inUse: number;
    readonly waiting: number;
    readonly rejected: number;
  };
}

const queues: ObservedQueue[] = [];

/** Adds a queue to the metrics, for the lifetime of the process. @returns the queue */
export function observeQueue<Queue extends ObservedQueue>(queue: Queue): Queue {
  queues.push(queue);
  return queue;
}

// Declared before the other two: metrics are collected in the order of declaration, and this one sets the others.
new Gauge({
  name: 'daybook_queue_waiting',
  help: 'Tasks that wait for a permit, by kind of work.',
  labelNames: ['work'] as const,
  collect() {
    for (const metric of [this, permitsInUse, rejectedTasks]) metric.reset();
    for (const { state } of queues) {
      this.inc({ work: state.work }, state.waiting);
      permitsInUse.inc({ work: state.work }, state.inUse);
      rejectedTasks.inc({ work: state.work }, state.rejected);
    }
  },
});

const permitsInUse = new Gauge({
  name: 'daybook_queue_in_use',
  help: 'Permits in use by running tasks, by kind of work.',
  labelNames: ['work'] as const,
});

const rejectedTasks = new Counter({
  name: 'daybook_queue_rejected_total',
  help: 'Tasks rejected because too many were waiting, or because they had waited too long, by kind of work.',
  labelNames: ['work'] as const,
});

export const openConnections = new Gauge({
  name: 'daybook_http_connections',
  help: 'Open client connections, including WebSockets.',
});

/** Incremented when a stream is opened, decremented when it ends. `transport` is `sse` or `websocket`. */
export const openStreams = new Gauge({
  name: 'daybook_streams_open',
  help: 'Open notification streams, by transport.',
  labelNames: ['transport'] as const,
});

/** `kind` is `request` for bodies that are received or processed, `response` for data that clients have not read yet. */
export const bufferedBytes = new Gauge({
  name: 'daybook_http_buffered_bytes',
  help: 'Memory used by request bodies (kind `request`) and by responses that clients have not read yet (kind `response`).',
  labelNames: ['kind'] as const,
});
