/** Metrics of the database connection pools. */
import { Gauge } from 'prom-client';
import { registry } from './registry.js';

export interface PoolState {
  /** Maximum number of connections. */
  max: number;
  inUse: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

const pools = new Map<() => PoolState, string>();

const connections = new Gauge({
  name: 'daybook_db_pool_connections',
  help: 'Connections to the database, by pool and state.',
  labelNames: ['pool', 'state'] as const,
  registers: [registry],
});

const limits = new Gauge({
  name: 'daybook_db_pool_connections_max',
  help: 'Maximum number of connections of a pool.',
  labelNames: ['pool'] as const,
  registers: [registry],
});

new Gauge({
  name: 'daybook_db_pool_waiting',
  help: 'Requests that wait for a connection.',
  labelNames: ['pool'] as const,
  registers: [registry],
  collect() {
    for (const gauge of [this, connections, limits]) gauge.reset();
    for (const [read, pool] of pools) {
      const { max, inUse, idle, waiting } = read();
      limits.inc({ pool }, max);
      connections.inc({ pool, state: 'in_use' }, inUse);
      connections.inc({ pool, state: 'idle' }, idle);
      this.inc({ pool }, waiting);
    }
  },
});

/** Adds a pool to the metrics. @returns a function that removes it */
export function watchPool(name: string, read: () => PoolState): () => void {
  pools.set(read, name);
  return () => pools.delete(read);
}
