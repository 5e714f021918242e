/** Summaries and tags without an AI provider: the highest-ranked sentences of the text, extracted in a worker thread. */
import ms from 'ms';
import type { Summary } from '../../../models/summary.js';
import {
  type SemaphoreOptions,
  type TaskOptions,
  WeightedSemaphore,
} from '../../../platform/concurrency/weighted-semaphore.js';
import { WorkerThread } from '../../../platform/concurrency/worker-thread.js';
import { observeQueue } from '../../../platform/observability/metrics/saturation.js';
import { ProviderFailure } from '../provider-failure.js';

/** Must be incremented with every change of the output: it is part of the cache key. */
export const EXTRACT_VERSION = 2;

/** An article of the maximum length takes a few hundred milliseconds. */
export const TIMEOUT_MS = 10_000;

/** Few tasks wait: there are no more jobs than run at the same time. A rejected job is tried again later. */
const QUEUE: SemaphoreOptions = {
  work: 'summaries',
  permits: 1,
  maxWaiting: 16,
  maxWaitingPerKey: 16,
  maxWaitMs: ms('1m'),
};

export class ExtractiveSummarizer {
  readonly #queue = observeQueue(new WeightedSemaphore(QUEUE));
  readonly #thread: WorkerThread<string, Summary>;

  /** @param timeoutMs a test on a busy machine extends it */
  constructor(timeoutMs = TIMEOUT_MS) {
    const script = new URL('./extract-worker.js', import.meta.url);
    this.#thread = new WorkerThread({ script, timeoutMs, maxHeapMb: 256 });
  }

  /**
   * Deterministic: the same text always has the same summary.
   * @param content a visible text, as `models/article/text.ts` describes it
   * @param task has the author as its queue key
   * @throws ProviderFailure if it times out; AppError SERVICE_UNAVAILABLE if too many texts wait
   */
  async extract(content: string, task: TaskOptions): Promise<Summary> {
    const summary = await this.#queue.run(task, () => this.#thread.run(content));
    if (!summary) throw new ProviderFailure('unreadable');
    return summary;
  }

  /** A running task fails; a later one starts the thread again. */
  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
