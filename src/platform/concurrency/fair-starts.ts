/** Tasks start in turns of the event loop, so that a client or network with many tasks delays others by one task in each turn. */
export class FairStarts {
  /** Networks that have started a task in this turn, and their clients with those of their tasks that wait for a later one; the next client first. */
  readonly #networks = new Map<string, Map<string, (() => void)[]>>();
  readonly #alternatingClients: Alternation;
  readonly #alternatingNetworks = new Alternation();

  /** @param isAlwaysShared for tasks that take far longer than a turn: they wait for each other also while there is one client */
  constructor({ isAlwaysShared = false } = {}) {
    this.#alternatingClients = new Alternation(isAlwaysShared);
  }

  /**
   * One task of each network starts in a turn, while there are several networks; otherwise one of each client.
   * @returns a promise if the task has to wait: only while there are tasks of several clients, since waiting costs throughput
   */
  start({ key, network: name = key }: { readonly key: string; readonly network?: string }): Promise<void> | undefined {
    const haveSeveral = this.#alternatingNetworks.add(name);
    if (!this.#alternatingClients.add(key)) return undefined;
    const network = this.#networks.get(name) ?? new Map<string, (() => void)[]>();
    const mustWait = network.has(key) || (haveSeveral && network.size > 0);
    if (this.#networks.size === 0) setImmediate(this.#next);
    this.#networks.set(name, network);
    const waiting = network.get(key) ?? [];
    network.set(key, waiting);
    return mustWait ? new Promise((resolve) => void waiting.push(resolve)) : undefined;
  }

  readonly #next = (): void => {
    const most = this.#alternatingNetworks.isShared ? 1 : Number.POSITIVE_INFINITY;
    for (const [name, clients] of this.#networks) if (startNext(clients, most) === 0) this.#networks.delete(name);
    if (this.#networks.size > 0) setImmediate(this.#next);
  };
}

/** For how long after a task of another client or network. */
const SHARED_MS = 1000;

/** Whether several names have alternated in the last second. */
class Alternation {
  #last: string | null = null;
  /** In the time of `performance.now`. */
  #sharedUntilMs: number;

  constructor(isAlways = false) {
    this.#sharedUntilMs = isAlways ? Number.POSITIVE_INFINITY : 0;
  }

  get isShared(): boolean {
    return performance.now() < this.#sharedUntilMs;
  }

  /** @returns `isShared` */
  add(name: string): boolean {
    const nowMs = performance.now();
    if (name !== this.#last) {
      if (this.#last !== null) this.#sharedUntilMs = Math.max(this.#sharedUntilMs, nowMs + SHARED_MS);
      this.#last = name;
    }
    return nowMs < this.#sharedUntilMs;
  }
}

/** Starts a task of each client, at most `most`. Clients without tasks are removed. @returns how many were started */
function startNext(clients: Map<string, (() => void)[]>, most: number): number {
  let started = 0;
  for (const [key, waiting] of [...clients]) {
    if (started === most) break;
    clients.delete(key);
    const start = waiting.shift();
    if (!start) continue;
    clients.set(key, waiting);
    start();
    started++;
  }
  return started;
}
