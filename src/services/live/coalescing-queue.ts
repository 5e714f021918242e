/** Combines requested keys into batches: one batch runs at a time, and a batch that fails is retried. */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../platform/concurrency/backoff.js';
import { sqlState } from '../../platform/database/pool.js';
import type { Log } from '../../platform/observability/log.js';

/** Between attempts after a failure of the database: outages usually last seconds. */
export const DATABASE_BACKOFF = { firstMs: 250, maxMs: 2_000, jitter: 0.5 };

export class CoalescingQueue<Key> {
  readonly #pending = new Set<Key>();
  #isRunning = false;
  #isStopped = false;

  /** @param batchSize maximum number of keys in one batch; @param work is called again with the keys for which it threw */
  constructor(
    readonly batchSize: number,
    readonly work: (keys: Key[]) => Promise<void>,
    readonly log: Log,
  ) {}

  /** Keys that are added while a batch runs become part of a later one. */
  add(keys: Iterable<Key>): void {
    for (const key of keys) this.#pending.add(key);
    if (!this.#isRunning) void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#pending.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let failures = 0; this.#pending.size > 0 && !this.#isStopped; ) {
      const keys = this.#take();
      try {
        await this.work(keys);
        failures = 0;
      } catch (error) {
        if (failures === 0)
          this.log.warn({ code: sqlState(error) }, 'reading notifications for open streams failed, retrying');
        failures++;
        for (const key of keys) this.#pending.add(key);
        await delay(backoffMs(failures, DATABASE_BACKOFF), undefined, { ref: false });
      }
    }
    this.#isRunning = false;
  }

  #take(): Key[] {
    const keys = [...this.#pending].slice(0, this.batchSize);
    for (const key of keys) this.#pending.delete(key);
    return keys;
  }
}
