/** Live notifications in one process: open connections, the Postgres listener that triggers reads, and shutdown. */
import { AppError } from '../errors.js';
import type { Services } from '../services.js';
import { ConnectionRegistry, type LiveConnection } from './connection-registry.js';
import type { NotificationCursor } from './notification-cursor.js';
import { NotificationCursors } from './notification-cursors.js';
import { listenToPostgres } from './postgres-listener.js';

export interface NotificationHub {
  /**
   * A feed of the member's new notifications, or of those after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has the maximum number of feeds open
   */
  open(memberId: number, after: number | null): Promise<NotificationCursor>;
  /**
   * Registers an open connection: it is closed when its token or its session ends, or when its client stops reading.
   * @returns a function that unregisters it
   * @throws AppError RATE_LIMITED where the member has the maximum number of connections open; SERVICE_UNAVAILABLE after `stop`
   */
  hold(held: LiveConnection): () => void;
  /** Closes all connections and feeds. New connections are rejected afterwards. */
  stop(): void;
}

const known = new WeakMap<Services, NotificationHub>();

/** The hub of these services, created on first use. */
export function hubOf(services: Services): NotificationHub {
  const hub = known.get(services) ?? new Hub(services);
  known.set(services, hub);
  return hub;
}

/** Polling interval in milliseconds, a fallback for lost NOTIFYs (for example behind a transaction-mode pooler). */
const POLL_INTERVAL_MS = 30_000;

class Hub implements NotificationHub {
  readonly #feeds: NotificationCursors;
  readonly #held: ConnectionRegistry;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly services: Services) {
    const { database, config, log } = services;
    this.#feeds = new NotificationCursors(database, config.streams.maxPerMember, log);
    this.#held = new ConnectionRegistry(database, config.streams, log);
  }

  open(memberId: number, after: number | null): Promise<NotificationCursor> {
    return this.#feeds.open(memberId, after);
  }

  hold(held: LiveConnection): () => void {
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

  /** Starts the Postgres listener and the polling timer with the first connection. */
  #listen(): void {
    if (this.#timer) return;
    const { database, log } = this.services;
    const lookAround = () => {
      this.#feeds.wakeAll();
      this.#held.checkAll();
    };
    this.#timer = setInterval(lookAround, POLL_INTERVAL_MS).unref();
    const listeners = {
      onNotification: (memberId: number) => this.#feeds.wake(memberId),
      onSessionEnd: (memberId: number) => this.#held.check([memberId]),
      onListening: lookAround,
    };
    void listenToPostgres(database.url, log, listeners, this.#stopping.signal);
  }
}
