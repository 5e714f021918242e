/** Concurrency limit for expensive work, with a bounded queue that is fair between clients. */
import { setMaxListeners } from 'node:events';
import { AppError } from '../errors.js';
import type { QueueName } from '../messages/en/requests.js';
import { createMessage } from '../messages/message.js';

export interface SemaphoreOptions {
  /** Names the work in messages and metrics. */
  readonly work: QueueName;
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
  /** Permits that one key can hold while no other client waits for one. Default: `permitsPerKey`. */
  readonly permitsPerKeyAlone?: number;
  /** Permits that all keys of one network can hold together. Default: all of them. */
  readonly permitsPerNetwork?: number;
  /** Tasks of one key that can run at the same time. Default: as many as there are permits for. */
  readonly tasksPerKey?: number;
  /** After this time a waiting task is rejected with SERVICE_UNAVAILABLE. */
  readonly maxWaitMs: number;
}

export interface TaskOptions {
  /** The client that the task counts for: a member or a network. */
  readonly key: string;
  /** The network that it counts for as well, so that many accounts of one network do not have many shares. */
  readonly network?: string | undefined;
  /** Permits that this key can hold, in place of `permitsPerKey`. */
  readonly permitsOfKey?: number | undefined;
  /** Permits that the task needs, capped at the total number. Default: 1. */
  readonly weight?: number;
  /** Returns a signal that is aborted when the result is no longer needed: a waiting task is dropped. */
  readonly signal?: () => AbortSignal;
}

/** Releases permits. */
export type Release = () => void;

export interface SemaphoreState {
  readonly work: QueueName;
  /** Permits in use. */
  readonly inUse: number;
  readonly waiting: number;
  /** Tasks rejected so far. */
  readonly rejected: number;
}

/** What a task occupies. */
interface Demand {
  readonly weight: number;
  readonly network: string | undefined;
}

interface Task extends Demand {
  readonly start: () => void;
  /** Removes the task from the queue and rejects its promise. */
  readonly drop: (reason: unknown) => void;
}

/** The tasks of one client. */
interface Client {
  readonly key: string;
  readonly waiting: Task[];
  /** Permits that it can hold while others wait, and otherwise. */
  readonly share: number;
  readonly shareAlone: number;
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
  /** Permits in use, by the weight of the tasks that hold them. */
  readonly #held = new Map<number, number>();
  /** Permits in use, by network. */
  readonly #networks = new Map<string, number>();
  #permits: number;
  #free: number;
  #waiting = 0;
  #rejected = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#permits = options.permits;
    this.#free = options.permits;
  }

  get state(): SemaphoreState {
    const inUse = this.#permits - this.#free;
    return { work: this.#options.work, inUse, waiting: this.#waiting, rejected: this.#rejected };
  }

  /** Changes the number of permits. With fewer, running tasks keep theirs, and waiting ones start later. */
  resize(permits: number): void {
    this.#free += permits - this.#permits;
    this.#permits = permits;
    this.#startNext();
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
  acquire(options: TaskOptions): Release | Promise<Release> {
    const { key, network, weight = 1, signal } = options;
    const client = this.#clients.get(key) ?? this.#newClient(options);
    const { permitsPerNetwork = Number.POSITIVE_INFINITY } = this.#options;
    const demand = { network, weight: Math.min(weight, client.shareAlone, permitsPerNetwork) };
    if (!this.#mayStart(client, demand)) return this.#wait(client, demand, signal?.());
    this.#start(client, demand);
    return this.#releaseOf(client, demand);
  }

  #newClient({ key, permitsOfKey }: TaskOptions): Client {
    const { permits, permitsPerKey, permitsPerKeyAlone } = this.#options;
    const share = permitsOfKey ?? permitsPerKey ?? permits;
    const shareAlone = permitsOfKey ?? permitsPerKeyAlone ?? share;
    return { key, waiting: [], share, shareAlone, running: 0, inUse: 0 };
  }

  /** Whether the task fits, and no waiting task could start in its place. */
  #mayStart(client: Client, demand: Demand): boolean {
    if (demand.weight > this.#free || !this.#mayHold(client, demand, client.shareAlone)) return false;
    return this.#waiting === 0 || (client.waiting.length === 0 && this.#nextClient() === undefined);
  }

  #releaseOf(client: Client, demand: Demand): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#end(client, demand);
    };
  }

  /** Without `async`: most statements of a client wait here under load. */
  #wait(client: Client, demand: Demand, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
      signal?.throwIfAborted();
      if (client.waiting.length >= maxWaitingPerKey) throw this.#reject('RATE_LIMITED');
      if (this.#waiting >= maxWaiting) this.#displaceFor(client);
      this.#clients.set(client.key, client);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const { weight, network } = demand;
      const task: Task = {
        weight,
        network,
        start: () => {
          settle();
          resolve(this.#releaseOf(client, demand));
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
      this.#start(client, task);
      task.start();
    }
  }

  #start(client: Client, { weight, network }: Demand): void {
    this.#moveToEnd(client);
    this.#free -= weight;
    add(this.#held, weight, weight);
    client.inUse += weight;
    client.running++;
    if (network !== undefined) add(this.#networks, network, weight);
  }

  #end(client: Client, { weight, network }: Demand): void {
    this.#free += weight;
    add(this.#held, weight, -weight);
    client.inUse -= weight;
    client.running--;
    if (network !== undefined) add(this.#networks, network, -weight);
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
    const beside = this.#permits - heavy;
    let left = beside;
    for (const [weight, held] of this.#held) if (weight <= beside) left -= held;
    for (const client of this.#clients.values()) {
      const [task] = client.waiting;
      if (task && task.weight <= Math.min(left, this.#free) && this.#mayHold(client, task, client.share)) return client;
    }
    return undefined;
  }

  #moveToEnd(client: Client): void {
    if (this.#clients.size === 1 && this.#clients.has(client.key)) return;
    this.#clients.delete(client.key);
    this.#clients.set(client.key, client);
  }

  /** The first waiting client whose limits allow its next task; undefined if there is none. */
  #nextClient(): Client | undefined {
    if (this.#waiting === 0 || this.#free <= 0) return undefined;
    let alone: Client | undefined;
    for (const client of this.#clients.values()) {
      const [task] = client.waiting;
      if (!task) continue;
      if (this.#mayHold(client, task, client.share)) return client;
      if (!alone && this.#mayHold(client, task, client.shareAlone)) alone = client;
    }
    return alone;
  }

  #mayHold({ inUse, running }: Client, { weight, network }: Demand, share: number): boolean {
    const { tasksPerKey = Number.POSITIVE_INFINITY, permitsPerNetwork = Number.POSITIVE_INFINITY } = this.#options;
    if (inUse + weight > share || running >= tasksPerKey) return false;
    return network === undefined || (this.#networks.get(network) ?? 0) + weight <= permitsPerNetwork;
  }

  #forgetIdle(client: Client): void {
    if (client.inUse === 0 && client.waiting.length === 0) this.#clients.delete(client.key);
  }

  #reject(key: 'SERVICE_UNAVAILABLE' | 'RATE_LIMITED'): AppError {
    this.#rejected++;
    return new AppError(key, { message: createMessage('tooBusy', this.#options.work) });
  }
}

/** Adds permits to those of a key, which is removed with its last one. */
function add<Key>(permits: Map<Key, number>, key: Key, added: number): void {
  const total = (permits.get(key) ?? 0) + added;
  if (total > 0) permits.set(key, total);
  else permits.delete(key);
}
