/** A worker thread for work that would block the event loop: one task at a time, each with a timeout. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WorkerThreadOptions {
  /** Posts one message (not null) when it is ready, then one result message for each task message. */
  script: URL;
  /** Timeout of a task. */
  timeoutMs: number;
  /** Maximum size of the old generation of its heap. */
  maxHeapMb: number;
}

/** Startup timeout of a thread. */
const STARTUP_TIMEOUT_MS = 10_000;

/** The thread is started for the first task, and again after a failed one. The caller must run tasks one at a time. */
export class WorkerThread<Task, Result> {
  readonly #options: WorkerThreadOptions;
  #worker: Worker | undefined;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  /**
   * The result; null if the task times out or the thread fails. The startup of a new thread does not count.
   * @throws Error where the thread does not start
   */
  async run(task: Task): Promise<Result | null> {
    const worker = this.#worker ?? (await start(this.#options));
    this.#worker = worker;
    worker.postMessage(task);
    const result = await nextMessage<Result>(worker, this.#options.timeoutMs);
    // The task may still be running, or the thread may have exited.
    if (result === null) await this.stop();
    return result;
  }

  /** Terminates the thread. A running task then resolves to null. */
  async stop(): Promise<void> {
    const ended = this.#worker;
    this.#worker = undefined;
    // Errors during termination are ignored.
    ended?.on('error', () => {});
    await ended?.terminate();
  }
}

async function start({ script, maxHeapMb }: WorkerThreadOptions): Promise<Worker> {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
  // The thread does not keep the process alive.
  worker.unref();
  if ((await nextMessage(worker, STARTUP_TIMEOUT_MS)) !== null) return worker;
  worker.on('error', () => {});
  await worker.terminate();
  throw new Error(`The worker thread ${script} did not start`);
}

/** The next message of the thread; null where none arrives within `timeoutMs`, or where the thread fails or exits. */
async function nextMessage<Result>(worker: Worker, timeoutMs: number): Promise<Result | null> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  worker.once('exit', abort);
  try {
    const [result] = await once(worker, 'message', { signal: controller.signal });
    return result;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    worker.off('exit', abort);
  }
}
