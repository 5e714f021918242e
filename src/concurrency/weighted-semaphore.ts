/** Concurrency limit for expensive work, with a bounded queue that is fair between clients. */
import { setMaxListeners } from 'node:events';
import { AppError } from '../errors.js';
import type { Work } from '../messages/en/requests.js';
import { createMessage } from '../messages/message.js';

export interface SemaphoreOptions {
  /** Names the work in messages and metrics. */
  readonly work: Work;
  /** Permits that can be in use at the same time. */
  readonly permits: number;
  /**
   * Tasks that may wait. For one more, the last task of the client that has the most waiting is rejected at once with
   * SERVICE_UNAVAILABLE.
   */
  readonly maxWaiting: number;
  /** Tasks of one key that may wait. One more is rejected at once with RATE_LIMITED. */
  readonly maxWaitingPerKey: number;
  /** Permits that one key can hold at the same time. Default: all of them. */
  readonly permitsPerKey?: number;
  /** Tasks of one key that can run at the same time. Default: as many as there are permits for. */
  readonly tasksPerKey?: number;
  /** After this time a waiting task is rejected with SERVICE_UNAVAILABLE. */
  readonly maxWaitMs: number;
}

export interface TaskOptions {
  /** The client that the task counts for: a member or a network. */
  readonly key: string;
  /** Permits that the task needs, capped at the total number. Default: 1. */
  readonly weight?: number;
  /** Returns a signal that is aborted when the result is no longer needed: a waiting task is dropped. */
  readonly signal?: () => AbortSignal;
}

/** Releases permits. */
export type Release = () => void;

export interface SemaphoreState {
  readonly work: Work;
  /** Permits in use. */
  readonly inUse: number;
  readonly waiting: number;
  /** Tasks rejected so far. */
  readonly rejected: number;
}

interface Task {
  readonly weight: number;
  readonly start: () => void;
  /** Removes the task from the queue and rejects its promise. */
  readonly drop: (reason: unknown) => void;
}

/** The tasks of one client. */
interface Client {
  readonly key: string;
  readonly waiting: Task[];
  running: number;
  /** Permits. */
  inUse: number;
}

/**
 * Clients are served round robin, so that a client with a hundred tasks delays one with a single task by one task. While the heavy
 * task at the head of the queue does not fit, tasks of other clients overtake it only as far as they leave it its permits: it cannot starve.
 */
export class WeightedSemaphore {
  readonly #options: SemaphoreOptions;
  /** Clients with tasks; the next one first. */
  readonly #clients = new Map<string, Client>();
  /** Weights of the running tasks, with their numbers. */
  readonly #running = new Map<number, number>();
  #free: number;
  #waiting = 0;
  #rejected = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  get state(): SemaphoreState {
    const { work, permits } = this.#options;
    return { work, inUse: permits - this.#free, waiting: this.#waiting, rejected: this.#rejected };
  }

  /** Runs `work` with permits. @throws as `acquire`, and what `work` throws */
  async run<Result>(options: TaskOptions, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(options);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Waits until enough permits are free; returns synchronously if they already are.
   * @returns a function that releases them; calling it again has no effect
   * @throws AppError SERVICE_UNAVAILABLE where too many tasks wait, or this one has waited too long; RATE_LIMITED where
   *   too many tasks of this key wait; the signal's reason
   */
  acquire({ key, weight = 1, signal }: TaskOptions): Release | Promise<Release> {
    const permits = Math.min(weight, this.#permitsPerKey);
    const client = this.#clients.get(key) ?? { key, waiting: [], running: 0, inUse: 0 };
    if (this.#waiting > 0 || !this.#fits(client, permits)) return this.#startLater(client, permits, signal);
    this.#start(client, permits);
    return this.#releaseOf(client, permits);
  }

  async #startLater(client: Client, permits: number, signal: TaskOptions['signal']): Promise<Release> {
    await this.#wait(client, permits, signal?.());
    return this.#releaseOf(client, permits);
  }

  #releaseOf(client: Client, permits: number): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#end(client, permits);
    };
  }

  async #wait(client: Client, weight: number, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
    signal?.throwIfAborted();
    if (client.waiting.length >= maxWaitingPerKey) throw this.#reject('RATE_LIMITED');
    if (this.#waiting >= maxWaiting) this.#displaceFor(client);
    this.#clients.set(client.key, client);
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const task: Task = {
        weight,
        start: () => {
          settle();
          resolve();
        },
        drop: (reason) => {
          settle();
          client.waiting.splice(client.waiting.indexOf(task), 1);
          this.#waiting--;
          this.#forgetIdle(client);
          reject(reason);
          this.#startNext();
        },
      };
      const onAbort = () => task.drop(signal?.reason);
      // A request may have many tasks; Node warns of a leak from eleven listeners on.
      if (signal) setMaxListeners(0, signal);
      const timer = setTimeout(() => task.drop(this.#reject('SERVICE_UNAVAILABLE')), maxWaitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      client.waiting.push(task);
      this.#waiting++;
      this.#startNext();
    });
  }

  /**
   * Drops the last task of the client with the most tasks waiting, so that a few clients cannot fill the queue.
   * @throws AppError SERVICE_UNAVAILABLE if every other client would have fewer waiting tasks than this one
   */
  #displaceFor(client: Client): void {
    let longest = client;
    for (const other of this.#clients.values()) {
      if (other.waiting.length > longest.waiting.length) longest = other;
    }
    const rejection = this.#reject('SERVICE_UNAVAILABLE');
    if (longest.waiting.length <= client.waiting.length + 1) throw rejection;
    longest.waiting.at(-1)?.drop(rejection);
  }

  #startNext(): void {
    for (let client = this.#nextToStart(); client; client = this.#nextToStart()) {
      const [task] = client.waiting;
      if (!task || task.weight > this.#free) return;
      client.waiting.shift();
      this.#waiting--;
      this.#start(client, task.weight);
      task.start();
    }
  }

  #start(client: Client, weight: number): void {
    this.#moveToEnd(client);
    this.#free -= weight;
    this.#running.set(weight, (this.#running.get(weight) ?? 0) + 1);
    client.inUse += weight;
    client.running++;
  }

  #end(client: Client, weight: number): void {
    this.#free += weight;
    this.#running.set(weight, (this.#running.get(weight) ?? 0) - 1);
    client.inUse -= weight;
    client.running--;
    // Clients that arrived in the meantime come first.
    this.#moveToEnd(client);
    this.#forgetIdle(client);
    this.#startNext();
  }

  /** The next client; while its heavy task does not fit, another one whose task does not delay it. */
  #nextToStart(): Client | undefined {
    const next = this.#nextClient();
    const heavy = next?.waiting[0]?.weight ?? 0;
    if (heavy <= this.#free) return next;
    const beside = this.#options.permits - heavy;
    let left = beside;
    for (const [weight, tasks] of this.#running) if (weight <= beside) left -= weight * tasks;
    for (const client of this.#clients.values()) {
      const [task] = client.waiting;
      if (task && task.weight <= Math.min(left, this.#free) && this.#mayHold(client, task.weight)) return client;
    }
    return undefined;
  }

  #moveToEnd(client: Client): void {
    this.#clients.delete(client.key);
    this.#clients.set(client.key, client);
  }

  /** The first waiting client whose limits allow its next task; undefined if there is none. */
  #nextClient(): Client | undefined {
    if (this.#waiting === 0) return undefined;
    for (const client of this.#clients.values()) {
      const [task] = client.waiting;
      if (task && this.#mayHold(client, task.weight)) return client;
    }
    return undefined;
  }

  get #permitsPerKey(): number {
    return this.#options.permitsPerKey ?? this.#options.permits;
  }

  #fits(client: Client, weight: number): boolean {
    return weight <= this.#free && this.#mayHold(client, weight);
  }

  #mayHold({ inUse, running }: Client, weight: number): boolean {
    return inUse + weight <= this.#permitsPerKey && running < (this.#options.tasksPerKey ?? Number.POSITIVE_INFINITY);
  }

  #forgetIdle(client: Client): void {
    if (client.inUse === 0 && client.waiting.length === 0) this.#clients.delete(client.key);
  }

  #reject(key: 'SERVICE_UNAVAILABLE' | 'RATE_LIMITED'): AppError {
    this.#rejected++;
    return new AppError(key, { message: createMessage('tooBusy', this.#options.work) });
  }
}
