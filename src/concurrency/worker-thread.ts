/** A worker thread for work that would block the event loop: one task at a time, each with a timeout. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  /** Posts one message (not null) when it is ready, then one result message for each task message. */
  script: URL;
  /** Timeout of a task in milliseconds. */
  timeLimit: number;
  /** Maximum size of the old generation of its heap, in MB. */
  memory: number;
}

/** Startup timeout of a thread in milliseconds. */
const TIME_TO_LOAD = 10_000;

/** The thread is started for the first task, and again after a failed one. The caller must run tasks one at a time. */
export class Thread<Task, Answer> {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * The result; null where the task times out or the thread fails. The startup of a new thread does not count.
   * @throws Error where the thread does not start
   */
  async run(task: Task): Promise<Answer | null> {
    const worker = this.#worker ?? (await start(this.#options));
    this.#worker = worker;
    worker.postMessage(task);
    const answer = await answerOf<Answer>(worker, this.#options.timeLimit);
    // The task may still be running, or the thread may have exited.
    if (answer === null) await this.stop();
    return answer;
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

async function start({ script, memory }: ThreadOptions): Promise<Worker> {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memory } });
  // The thread does not keep the process alive.
  worker.unref();
  if ((await answerOf(worker, TIME_TO_LOAD)) !== null) return worker;
  worker.on('error', () => {});
  await worker.terminate();
  throw new Error(`The worker thread ${script} did not start`);
}

/** The next message of the thread; null where none arrives in `time` milliseconds, or where the thread fails or exits. */
async function answerOf<Answer>(worker: Worker, time: number): Promise<Answer | null> {
  const silence = new AbortController();
  const giveUp = () => silence.abort();
  const timer = setTimeout(giveUp, time);
  worker.once('exit', giveUp);
  try {
    const [answer] = await once(worker, 'message', { signal: silence.signal });
    return answer;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    worker.off('exit', giveUp);
  }
}
