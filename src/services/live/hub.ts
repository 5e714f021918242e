/** Live notifications in one process: open connections, the Postgres listener that triggers reads, and shutdown. */

import type { Reader } from '../../models/reader.js';
import type { Database } from '../../platform/database/pool.js';
import { AppError } from '../../platform/errors.js';
import type { Log } from '../../platform/observability/log.js';
import { type ConnectionOptions, ConnectionRegistry, type LiveConnection } from './connection-registry.js';
import { type NotificationCursor, NotificationCursors } from './notification-cursor.js';
import { listenToPostgres } from './postgres-listener.js';

/** Polling interval in milliseconds, a fallback for lost NOTIFYs. */
const POLL_INTERVAL_MS = 30_000;

export class NotificationHub {
  readonly #cursors: NotificationCursors;
  readonly #connections: ConnectionRegistry;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly database: Database,
    options: ConnectionOptions,
    readonly log: Log,
  ) {
    this.#cursors = new NotificationCursors(database, options.maxPerMember, log);
    this.#connections = new ConnectionRegistry(database, options, log);
  }

  /**
   * A cursor over the member's new notifications, or over those after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has the maximum number of cursors open
   */
  open(memberId: number, reader: Reader, after: number | null): Promise<NotificationCursor> {
    return this.#cursors.open(memberId, reader, after);
  }

  /**
   * Registers an open connection: it is closed when its token or its session ends, or when its client stops reading.
   * @returns a function that unregisters it
   * @throws AppError RATE_LIMITED where the member has the maximum number of connections open; SERVICE_UNAVAILABLE after `stop`
   */
  register(connection: LiveConnection): () => void {
    if (this.#stopping.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE');
    this.#listen();
    return this.#connections.add(connection);
  }

  /** Closes all connections and cursors. New connections are rejected afterwards. */
  stop(): void {
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#connections.stop();
    this.#cursors.stop();
  }

  /** Starts the Postgres listener and the polling timer with the first connection. */
  #listen(): void {
    if (this.#timer) return;
    const checkAll = () => {
      this.#cursors.readAll();
      this.#connections.checkAll();
    };
    this.#timer = setInterval(checkAll, POLL_INTERVAL_MS).unref();
    const listeners = {
      onNotification: (memberId: number) => this.#cursors.read(memberId),
      onSessionEnd: (memberId: number) => this.#connections.check([memberId]),
      onListening: checkAll,
    };
    void listenToPostgres(this.database.url, this.log, listeners, this.#stopping.signal);
  }
}
