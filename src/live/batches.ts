/** Work that many ask for at once: it is done for all of them together, one batch at a time, and again where it failed. */
import { setTimeout as delay } from 'node:timers/promises';
import { sqlState } from '../database/pool.js';
import type { Log } from '../observability/log.js';

/** Milliseconds before a batch that failed is tried again. The database is usually back within seconds. */
const PAUSE = 250;
const LONGEST_PAUSE = 2_000;

export class Batches<Key> {
  readonly #due = new Set<Key>();
  #isRunning = false;
  #isStopped = false;

  /** @param most keys in one batch; @param work is told again of the keys for which it failed */
  constructor(
    readonly most: number,
    readonly work: (keys: Key[]) => Promise<void>,
    readonly log: Log,
  ) {}

  /** A key that comes while its batch runs is part of the next one. */
  add(keys: Iterable<Key>): void {
    for (const key of keys) this.#due.add(key);
    if (!this.#isRunning) void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#due.clear();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let failures = 0; this.#due.size > 0 && !this.#isStopped; ) {
      const keys = this.#take();
      try {
        await this.work(keys);
        failures = 0;
      } catch (error) {
        if (failures === 0) this.log.warn({ code: sqlState(error) }, 'cannot read for open streams, trying again');
        failures++;
        for (const key of keys) this.#due.add(key);
        await delay(pauseAfter(failures), undefined, { ref: false });
      }
    }
    this.#isRunning = false;
  }

  #take(): Key[] {
    const keys = [...this.#due].slice(0, this.most);
    for (const key of keys) this.#due.delete(key);
    return keys;
  }
}

/** Longer after each failure, and never the same: processes that lost one database should not all come back at once. */
export function pauseAfter(failures: number): number {
  return Math.min(PAUSE * 2 ** (failures - 1), LONGEST_PAUSE) * (0.5 + Math.random() / 2);
}
