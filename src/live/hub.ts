/** The live side of notifications in one process: what is open, what calls it, and its end. */
import { AppError } from '../errors.js';
import type { Services } from '../services.js';
import type { Feed } from './feed.js';
import { Feeds } from './feeds.js';
import { type Held, HeldConnections } from './held.js';
import { listenForWakes } from './wakes.js';

export interface NotificationHub {
  /**
   * What comes for a member from now on, or what came after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has enough of them
   */
  open(memberId: number, after: number | null): Promise<Feed>;
  /**
   * Keeps a connection under watch: it is closed when its token or its session ends, or when its client stops reading.
   * @returns gives it up again. @throws AppError RATE_LIMITED where the member has enough of them
   */
  hold(held: Held): () => void;
  /** Closes everything that is open, for good. */
  stop(): void;
}

const known = new WeakMap<Services, NotificationHub>();

/** One for the services of a process. */
export function hubOf(services: Services): NotificationHub {
  const hub = known.get(services) ?? new Hub(services);
  known.set(services, hub);
  return hub;
}

/**
 * Milliseconds between two looks into the tables that nobody called for. They would find something only where calls are
 * lost on their way, as behind a pooler that hands connections on after each transaction.
 */
const UNCALLED = 30_000;

class Hub implements NotificationHub {
  readonly #feeds: Feeds;
  readonly #held: HeldConnections;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly services: Services) {
    const { database, config, log } = services;
    this.#feeds = new Feeds(database, config.streams.limit, log);
    this.#held = new HeldConnections(database, config.streams, log);
  }

  open(memberId: number, after: number | null): Promise<Feed> {
    return this.#feeds.open(memberId, after);
  }

  hold(held: Held): () => void {
    if (this.#stopping.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE');
    this.#listen();
    return this.#held.add(held);
  }

  stop(): void {
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#held.stop();
    this.#feeds.stop();
  }

  /** A process that nobody streams from listens to nothing. */
  #listen(): void {
    if (this.#timer) return;
    const { database, log } = this.services;
    const lookAround = () => {
      this.#feeds.wakeAll();
      this.#held.checkAll();
    };
    this.#timer = setInterval(lookAround, UNCALLED).unref();
    const listeners = {
      onNotification: (memberId: number) => this.#feeds.wake(memberId),
      onSessionEnd: (memberId: number) => this.#held.check([memberId]),
      onListening: lookAround,
    };
    void listenForWakes(database.url, log, listeners, this.#stopping.signal);
  }
}
