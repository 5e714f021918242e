/** The notifications that one stream has not delivered: a position (the last id read) and a buffer of at most one page. */
import type { Loaders } from '../loaders/index.js';
import type { NotificationRow } from '../models/notification/notification.js';

/** One notification to deliver to a stream. */
export interface NotificationEvent {
  readonly notification: NotificationRow;
  /** DataLoaders shared by the notifications of one batch, and not used for later ones. */
  readonly loaders: Loaders;
}

export interface CursorListeners {
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

  /** @param position id of the last notification that was read for this feed */
  constructor(
    readonly memberId: number,
    public position: number,
    readonly listeners: CursorListeners,
  ) {}

  /** Whether `push` may be called: the buffer is empty and the feed is open. */
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
