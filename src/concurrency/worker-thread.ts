/** A thread for work that would hold up the requests: one task at a time, each in bounded time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  /** Says anything once it is ready, and then answers each message with one. */
  script: URL;
  /** Milliseconds for a task. */
  timeLimit: number;
  /** Of its heap, in MB. */
  memory: number;
}

/** Milliseconds for a new thread. */
const TIME_TO_LOAD = 10_000;

/** It is started for the first task, and again where one went wrong. Whoever calls sees to it that tasks come one by one. */
export class Thread<Task, Answer> {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Null where it takes too long or cannot be done. The time that a new thread needs to load does not count.
   * @throws Error where the thread does not start
   */
  async run(task: Task): Promise<Answer | null> {
    const worker = this.#worker ?? (await start(this.#options));
    this.#worker = worker;
    worker.postMessage(task);
    const answer = await answerOf<Answer>(worker, this.#options.timeLimit);
    // It may still be at it, or have died of it.
    if (answer === null) await this.stop();
    return answer;
  }

  /** What it is at has no answer then. */
  async stop(): Promise<void> {
    const ended = this.#worker;
    this.#worker = undefined;
    // An error after this is of no interest to anybody.
    ended?.on('error', () => {});
    await ended?.terminate();
  }
}

async function start({ script, memory }: ThreadOptions): Promise<Worker> {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memory } });
  // The process may end while the thread waits for work.
  worker.unref();
  if ((await answerOf(worker, TIME_TO_LOAD)) !== null) return worker;
  worker.on('error', () => {});
  await worker.terminate();
  throw new Error(`The thread ${script} did not start`);
}

/** The next thing that the thread says; null where it says nothing in time, or ends. */
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
