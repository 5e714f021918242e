/** Metrics of replicas: which server has served page reads, and the state of each replica. */
import { Counter, Gauge } from 'prom-client';

/** Reads that a replica could have served, by the server whose rows were used. */
export const pageReads = new Counter({
  name: 'daybook_page_reads_total',
  help: 'Public page reads by the server whose rows were used: `primary`, or a replica. Only with DATABASE_REPLICA_URLS.',
  labelNames: ['source'] as const,
});

/**
 * `behind`: its rows were of an older version (or a newer one). `conflict`: canceled by the replay of a change. `timeout`, `error`: of the
 * statement. `failed`: of the connection or the server.
 */
export type FallbackReason = 'behind' | 'conflict' | 'timeout' | 'error' | 'failed';

export const replicaFallbacks = new Counter({
  name: 'daybook_replica_fallbacks_total',
  help: 'Statements repeated on the primary, by replica and reason (behind, conflict, timeout, error, failed).',
  labelNames: ['replica', 'reason'] as const,
});

export interface ReplicaMetrics {
  readonly name: string;
  readonly isAvailable: boolean;
  /** Share of the reads in its turn that it gets, from 0 to 1. */
  readonly weight: number;
  /** Write-ahead log of the primary that it has not replayed; undefined if unknown. */
  readonly lagBytes: number | undefined;
}

const replicas = new Set<ReplicaMetrics>();

/** Adds a replica to the metrics. @returns a function that removes it */
export function watchReplica(replica: ReplicaMetrics): () => void {
  replicas.add(replica);
  return () => replicas.delete(replica);
}

const weight = new Gauge({
  name: 'daybook_replica_weight',
  help: 'Share of its turns in which a replica gets a read: lower while its rows are often of an older version.',
  labelNames: ['replica'] as const,
  aggregator: 'average',
});

const lagBytes = new Gauge({
  name: 'daybook_replica_lag_bytes',
  help: 'Write-ahead log of the primary that a replica has not replayed, in bytes.',
  labelNames: ['replica'] as const,
  aggregator: 'max',
});

new Gauge({
  name: 'daybook_replica_available',
  help: 'Whether a replica is used (1) or not (0): unreachable, not a standby, or paused after a failure.',
  labelNames: ['replica'] as const,
  aggregator: 'min',
  collect() {
    for (const gauge of [this, weight, lagBytes]) gauge.reset();
    for (const { name: replica, isAvailable, weight: share, lagBytes: lag } of replicas) {
      this.set({ replica }, Number(isAvailable));
      weight.set({ replica }, share);
      if (lag !== undefined) lagBytes.set({ replica }, lag);
    }
  },
});
