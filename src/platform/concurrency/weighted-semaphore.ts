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
   * Tasks that may wait. When the queue is full, the newest task of the client with the most waiting tasks, in the network with the most, is rejected with
   * SERVICE_UNAVAILABLE.
   */
  readonly maxWaiting: number;
  /** Tasks of one key that may wait, from all of its networks together. One more is rejected at once with RATE_LIMITED. */
  readonly maxWaitingPerKey: number;
  /** Permits that one key can hold at the same time. Default: all of them. */
  readonly permitsPerKey?: number;
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
  /** The network whose turn it uses, so that many accounts of one network do not have many shares. Default: one of its own. */
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

interface Task {
  readonly weight: number;
  readonly start: () => void;
  /** Removes the task from the queue and rejects its promise. */
  readonly drop: (reason: unknown) => void;
}

/** The permits of one key, on all of its networks. */
interface Client {
  readonly key: string;
  /** Permits that it can hold. */
  readonly share: number;
  waiting: number;
  running: number;
  /** Permits. */
  inUse: number;
}

/** The tasks of one client from one network. */
interface Line {
  readonly client: Client;
  readonly network: Network;
  readonly waiting: Task[];
  running: number;
}

interface Pause {
  /** By `performance.now()`. */
  readonly untilMs: number;
  isOver: boolean;
}

interface Network {
  readonly name: string;
  /** Lines with tasks, by key; the next one first. */
  readonly lines: Map<string, Line>;
  waiting: number;
  /** Permits. */
  inUse: number;
}

/**
 * Networks are served round robin, and the clients of one network round robin when it is its turn: neither a client with a hundred tasks nor a
 * hundred accounts of one network delay a single task of another network by more than one task. While the heavy task at the head of the queue
 * does not fit, tasks of other clients overtake it only as far as they leave it its permits: it cannot starve.
 */
export class WeightedSemaphore {
  readonly #options: SemaphoreOptions;
  /** Networks with tasks; the next one first. */
  readonly #networks = new Map<string, Network>();
  /** By network. For MAX_PAUSE_MS after a pause, the network runs one task at a time. */
  readonly #pauses = new Map<string, Pause>();
  /** Clients with tasks. */
  readonly #clients = new Map<string, Client>();
  /** Permits in use, by the weight of the tasks that hold them. */
  readonly #held = new Map<number, number>();
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

  /**
   * The next task of this network waits for this time in addition, and again while the process is busy, at most MAX_PAUSE_MS in total. The tasks
   * that have waited then start one after another, since each of them may have a reason for the next pause.
   * @param sinceMs the beginning of the pause, of which this is a continuation
   */
  pause(network: string, ms: number, sinceMs = performance.now()): void {
    const nowMs = performance.now();
    const lastMs = sinceMs + MAX_PAUSE_MS;
    const untilMs = Math.min(Math.max(nowMs, this.#pauses.get(network)?.untilMs ?? 0) + ms, lastMs);
    const pause: Pause = { untilMs, isOver: false };
    this.#pauses.set(network, pause);
    const before = performance.eventLoopUtilization();
    const end = () => {
      if (this.#pauses.get(network) !== pause) return;
      const { utilization } = performance.eventLoopUtilization(before);
      if (utilization > BUSY && untilMs < lastMs) return this.pause(network, ms, sinceMs);
      pause.isOver = true;
      this.#startNext();
      setTimeout(forget, MAX_PAUSE_MS).unref();
    };
    const forget = () => {
      if (this.#pauses.get(network) !== pause) return;
      this.#pauses.delete(network);
      this.#startNext();
    };
    setTimeout(end, untilMs - nowMs).unref();
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
    const line = this.#lineOf(options);
    const { permitsPerNetwork = Number.POSITIVE_INFINITY } = this.#options;
    const weight = Math.min(options.weight ?? 1, line.client.share, permitsPerNetwork);
    if (!this.#mayStart(line, weight)) return this.#wait(line, weight, options.signal?.());
    this.#start(line, weight);
    return this.#releaseOf(line, weight);
  }

  /** It is stored as soon as it has a task. */
  #lineOf({ key, network: name = key, permitsOfKey }: TaskOptions): Line {
    const network = this.#networks.get(name) ?? { name, lines: new Map(), waiting: 0, inUse: 0 };
    return (
      network.lines.get(key) ?? {
        client: this.#clients.get(key) ?? this.#newClient(key, permitsOfKey),
        network,
        waiting: [],
        running: 0,
      }
    );
  }

  #newClient(key: string, permitsOfKey: number | undefined): Client {
    const { permits, permitsPerKey } = this.#options;
    return { key, share: permitsOfKey ?? permitsPerKey ?? permits, waiting: 0, running: 0, inUse: 0 };
  }

  /** Whether the task fits, and no waiting task could start in its place. */
  #mayStart(line: Line, weight: number): boolean {
    if (weight > this.#free || !this.#mayHold(line, weight)) return false;
    return this.#waiting === 0 || (line.waiting.length === 0 && this.#nextLine() === undefined);
  }

  #releaseOf(line: Line, weight: number): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#end(line, weight);
    };
  }

  /** Without `async`: most statements of a client wait here under load. */
  #wait(line: Line, weight: number, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
      signal?.throwIfAborted();
      if (line.client.waiting >= maxWaitingPerKey) throw this.#reject('RATE_LIMITED');
      if (this.#waiting >= maxWaiting) this.#displaceFor(line);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const task: Task = {
        weight,
        start: () => {
          settle();
          resolve(this.#releaseOf(line, weight));
        },
        drop: (reason) => {
          settle();
          line.waiting.splice(line.waiting.indexOf(task), 1);
          this.#countWaiting(line, -1);
          this.#forgetIdle(line);
          reject(reason);
          this.#startNext();
        },
      };
      const onAbort = () => task.drop(signal?.reason);
      // A request may have many tasks; Node warns of a leak from eleven listeners on.
      if (signal) setMaxListeners(0, signal);
      const timer = setTimeout(() => task.drop(this.#reject('SERVICE_UNAVAILABLE')), maxWaitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#store(line);
      line.waiting.push(task);
      this.#countWaiting(line, 1);
      this.#startNext();
    });
  }

  /**
   * Drops the last task of the client with the most tasks waiting, of the network with the most, so that a few clients or networks cannot fill
   * the queue.
   * @throws AppError SERVICE_UNAVAILABLE if every other network and client would have fewer waiting tasks than these
   */
  #displaceFor(line: Line): void {
    const rejection = this.#reject('SERVICE_UNAVAILABLE');
    const fullest = longest(this.#networks.values(), ({ waiting }) => waiting);
    const isOther = fullest !== undefined && fullest.waiting > line.network.waiting + 1;
    const { lines } = isOther ? fullest : line.network;
    const displaced = longest(lines.values(), ({ waiting }) => waiting.length);
    if (!displaced || (!isOther && displaced.waiting.length <= line.waiting.length + 1)) throw rejection;
    displaced.waiting.at(-1)?.drop(rejection);
  }

  #startNext(): void {
    for (let line = this.#nextToStart(); line; line = this.#nextToStart()) {
      const [task] = line.waiting;
      if (!task || task.weight > this.#free) return;
      line.waiting.shift();
      this.#countWaiting(line, -1);
      this.#start(line, task.weight);
      task.start();
    }
  }

  #start(line: Line, weight: number): void {
    this.#store(line);
    this.#count(line, weight, 1);
    this.#moveToEnd(line);
  }

  #end(line: Line, weight: number): void {
    this.#count(line, -weight, -1);
    // Networks and clients that arrived in the meantime come first.
    this.#moveToEnd(line);
    this.#forgetIdle(line);
    this.#startNext();
  }

  /** The next one; while its heavy task does not fit, another one whose task does not delay it. */
  #nextToStart(): Line | undefined {
    const next = this.#nextLine();
    const heavy = next?.waiting[0]?.weight ?? 0;
    if (heavy <= this.#free) return next;
    const beside = this.#permits - heavy;
    let left = beside;
    for (const [weight, held] of this.#held) if (weight <= beside) left -= held;
    for (const [line, { weight }] of this.#firstTasks()) {
      if (weight <= Math.min(left, this.#free) && this.#mayHold(line, weight)) return line;
    }
    return undefined;
  }

  /** The first waiting client whose limits allow its next task; undefined if there is none. */
  #nextLine(): Line | undefined {
    if (this.#waiting === 0 || this.#free <= 0) return undefined;
    for (const [line, { weight }] of this.#firstTasks()) if (this.#mayHold(line, weight)) return line;
    return undefined;
  }

  /** In the order of turns. */
  *#firstTasks(): Generator<[Line, Task]> {
    for (const network of this.#networks.values()) {
      if (network.waiting === 0) continue;
      for (const line of network.lines.values()) if (line.waiting[0]) yield [line, line.waiting[0]];
    }
  }

  #mayHold({ client: { inUse, running, share }, network }: Line, weight: number): boolean {
    const { tasksPerKey = Number.POSITIVE_INFINITY, permitsPerNetwork = Number.POSITIVE_INFINITY } = this.#options;
    if (inUse + weight > share || running >= tasksPerKey) return false;
    if (network.inUse + weight > permitsPerNetwork) return false;
    const pause = this.#pauses.get(network.name);
    return !pause || (pause.isOver && network.inUse === 0);
  }

  #store(line: Line): void {
    const { client, network } = line;
    this.#clients.set(client.key, client);
    if (!this.#networks.has(network.name)) this.#networks.set(network.name, network);
    if (!network.lines.has(client.key)) network.lines.set(client.key, line);
  }

  #moveToEnd({ client, network }: Line): void {
    moveToEnd(this.#networks, network.name);
    moveToEnd(network.lines, client.key);
  }

  /** @param tasks the change of the number of running tasks */
  #count(line: Line, weight: number, tasks: 1 | -1): void {
    this.#free -= weight;
    add(this.#held, Math.abs(weight), weight);
    for (const holder of [line, line.client]) holder.running += tasks;
    for (const holder of [line.client, line.network]) holder.inUse += weight;
  }

  #countWaiting(line: Line, change: 1 | -1): void {
    this.#waiting += change;
    line.network.waiting += change;
    line.client.waiting += change;
  }

  #forgetIdle({ client, network, running, waiting }: Line): void {
    if (client.running === 0 && client.waiting === 0) this.#clients.delete(client.key);
    if (running === 0 && waiting.length === 0) network.lines.delete(client.key);
    if (network.lines.size === 0) this.#networks.delete(network.name);
  }

  #reject(key: 'SERVICE_UNAVAILABLE' | 'RATE_LIMITED'): AppError {
    this.#rejected++;
    return new AppError(key, { message: createMessage('tooBusy', this.#options.work) });
  }
}

/** Less than half of the time that tasks may wait. */
const MAX_PAUSE_MS = 4_000;

/** Part of the time in which the event loop works. */
const BUSY = 0.8;

function moveToEnd<Value>(entries: Map<string, Value>, key: string): void {
  const value = entries.get(key);
  if (value === undefined || entries.size === 1) return;
  entries.delete(key);
  entries.set(key, value);
}

/** The first one with the largest length. */
function longest<Item>(items: Iterable<Item>, lengthOf: (item: Item) => number): Item | undefined {
  let found: Item | undefined;
  for (const item of items) if (found === undefined || lengthOf(item) > lengthOf(found)) found = item;
  return found;
}

/** Adds permits to those of a key, which is removed with its last one. */
function add<Key>(permits: Map<Key, number>, key: Key, added: number): void {
  const total = (permits.get(key) ?? 0) + added;
  if (total > 0) permits.set(key, total);
  else permits.delete(key);
}
