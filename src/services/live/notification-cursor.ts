/** The notifications that a stream has not delivered: a position (the last id read) and a buffer of at most one page. */
import { Loaders } from '../../loaders/index.js';
import { NEWEST_NOTIFICATION, NOTIFICATIONS_AFTER } from '../../models/notification/list.js';
import type { NotificationRow } from '../../models/notification/notification.js';
import type { Reader } from '../../models/reader.js';
import type { Database } from '../../platform/database/pool.js';
import type { Log } from '../../platform/observability/log.js';
import { CoalescingQueue } from './coalescing-queue.js';
import { ByMember } from './connection-registry.js';

/** Number of notifications that are read for one cursor at a time. */
const PAGE_SIZE = 50;
/** Maximum number of cursors in one read. */
const MAX_CURSORS_PER_READ = 200;

/** One notification to deliver to a stream. */
export interface NotificationEvent {
  readonly notification: NotificationRow;
  /** DataLoaders shared by the notifications of one batch, and not used for later ones. */
  readonly loaders: Loaders;
}

interface CursorListeners {
  /** The buffer is empty, and the database may have more. */
  onEmpty(): void;
  onClose(): void;
}

type Result = IteratorResult<NotificationEvent, undefined>;

const DONE: Result = { done: true, value: undefined };

/**
 * Backpressure: the next page is read only after the buffered one has been consumed, so that a slow or blocked client keeps
 * at most one page in memory.
 */
export class NotificationCursor implements AsyncIterableIterator<NotificationEvent, undefined> {
  /** Whether the database may have notifications after `position`. */
  isBehind = false;
  #waiting: ((result: Result) => void) | null = null;
  /** In reverse order: the next event is the last element. */
  #events: NotificationEvent[] = [];
  #isClosed = false;

  /**
   * @param memberId whose notifications it delivers
   * @param position id of the last notification that was read for this cursor
   */
  constructor(
    readonly memberId: number,
    readonly reader: Reader,
    public position: number,
    readonly listeners: CursorListeners,
  ) {}

  /** Whether `push` may be called: the buffer is empty and the cursor is open. */
  get isReady(): boolean {
    return this.#events.length === 0 && !this.#isClosed;
  }

  /** @param events oldest first; @param isBehind whether there may be more after them */
  push(events: readonly NotificationEvent[], isBehind: boolean): void {
    const last = events.at(-1);
    if (!last || this.#isClosed) return;
    this.isBehind = isBehind;
    this.position = last.notification.id;
    this.#events = events.toReversed();
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(this.#take());
  }

  async next(): Promise<Result> {
    if (this.#isClosed) return DONE;
    if (this.#events.length > 0) return this.#take();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  async return(): Promise<Result> {
    if (this.#isClosed) return DONE;
    this.#isClosed = true;
    this.#events = [];
    this.#waiting?.(DONE);
    this.listeners.onClose();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Result {
    const value = this.#events.pop();
    if (this.#events.length === 0 && this.isBehind) this.listeners.onEmpty();
    return value ? { done: false, value } : DONE;
  }
}

/** The open cursors of this process, and batched reads for them: one statement for the cursors of all notified members. */
export class NotificationCursors {
  readonly #open: ByMember<NotificationCursor>;
  readonly #reading: CoalescingQueue<NotificationCursor>;

  /** @param limit maximum number of open cursors of one member */
  constructor(
    readonly database: Database,
    limit: number,
    log: Log,
  ) {
    this.#open = new ByMember(limit);
    this.#reading = new CoalescingQueue(MAX_CURSORS_PER_READ, (cursors) => this.#readPages(cursors), log);
  }

  /**
   * A cursor over the member's new notifications, or over those after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has the maximum number of cursors open
   */
  async open(memberId: number, reader: Reader, after: number | null): Promise<NotificationCursor> {
    const [found] = await this.database.query(NEWEST_NOTIFICATION, [memberId]);
    const newest = found?.newest ?? 0;
    const cursor = new NotificationCursor(memberId, reader, Math.min(after ?? newest, newest), {
      onEmpty: () => this.#reading.add([cursor]),
      onClose: () => this.#open.delete(cursor),
    });
    this.#open.add(cursor);
    // For notifications created between the read of the position and this registration; later ones arrive as NOTIFY.
    this.#reading.add([cursor]);
    return cursor;
  }

  /** Schedules a read of the notifications after the positions of the member's cursors. */
  read(memberId: number): void {
    this.#reading.add(this.#open.of(memberId));
  }

  readAll(): void {
    this.#reading.add(this.#open.all());
  }

  stop(): void {
    this.#reading.stop();
    for (const cursor of this.#open.all()) void cursor.return();
  }

  /** Cursors of one reader with the same position share one read. */
  async #readPages(cursors: NotificationCursor[]): Promise<void> {
    const groups = grouped(ready(cursors), ({ memberId, reader, position }) => `${memberId} ${reader} ${position}`);
    const heads = [...groups.values()].flatMap(([head]) => head ?? []);
    if (heads.length === 0) return;
    const members = [heads.map(({ memberId }) => memberId), heads.map(({ position }) => position)] as const;
    const readers = heads.map(({ reader }) => reader);
    const rows = await this.database.query(NOTIFICATIONS_AFTER, [...members, readers, PAGE_SIZE]);
    const loaders = new Loaders(this.database);
    const found = grouped(rows, ({ key }) => key);
    for (const [index, group] of [...groups.values()].entries()) {
      const read = found.get(index + 1) ?? [];
      const events = read.map(({ key: _, ...notification }): NotificationEvent => ({ notification, loaders }));
      for (const cursor of group) cursor.push(events, events.length === PAGE_SIZE);
    }
  }
}

/** Cursors with an empty buffer. The others are marked as behind and request a read when their buffer is empty (`onEmpty`). */
function ready(cursors: NotificationCursor[]): NotificationCursor[] {
  for (const cursor of cursors) cursor.isBehind = !cursor.isReady;
  return cursors.filter(({ isReady }) => isReady);
}

function grouped<Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
