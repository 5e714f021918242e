/** Lets one task of each client start in a turn of the event loop, so that a client with many tasks delays others by one task in each turn. */
export class FairStarts {
  /** Clients that have started a task in this turn, with those of their tasks that wait for a later one. */
  readonly #clients = new Map<string, (() => void)[]>();
  #lastClient: string | null = null;
  /** Until then, in the time of `performance.now`, the tasks of a client wait for each other. */
  #sharedUntilMs = 0;

  /** @returns a promise if the task has to wait: only while there are tasks of several clients, since waiting costs throughput */
  start(client: string): Promise<void> | undefined {
    if (!this.#isShared(client)) return undefined;
    const waiting = this.#clients.get(client);
    if (waiting) return new Promise((resolve) => void waiting.push(resolve));
    if (this.#clients.size === 0) setImmediate(this.#next);
    this.#clients.set(client, []);
    return undefined;
  }

  #isShared(client: string): boolean {
    const nowMs = performance.now();
    if (client !== this.#lastClient) {
      if (this.#lastClient !== null) this.#sharedUntilMs = nowMs + SHARED_MS;
      this.#lastClient = client;
    }
    return nowMs < this.#sharedUntilMs;
  }

  readonly #next = (): void => {
    for (const [client, waiting] of this.#clients) {
      const start = waiting.shift();
      if (start) start();
      else this.#clients.delete(client);
    }
    if (this.#clients.size > 0) setImmediate(this.#next);
  };
}

/** For how long after a task of another client. */
const SHARED_MS = 1000;
