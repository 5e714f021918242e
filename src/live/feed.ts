/** What one stream is still to be told: a position in its member's notifications, and the few that were read ahead. */
import type { Loaders } from '../loaders/index.js';
import type { NotificationRow } from '../models/notification.js';

/** One notification on its way to a stream. */
export interface NotificationEvent {
  readonly notification: NotificationRow;
  /** Shared by everything that was read together, and by nothing later. */
  readonly loaders: Loaders;
}

export interface FeedListeners {
  /** What was read is taken, and there may be more. */
  onEmpty(): void;
  onClose(): void;
}

type Result = IteratorResult<NotificationEvent, undefined>;

const DONE: Result = { done: true, value: undefined };

/**
 * Nothing is read for a feed before what was read last has been taken: a reader that is slow, or stands still, keeps one
 * page in memory at most.
 */
export class Feed implements AsyncIterableIterator<NotificationEvent, undefined> {
  /** There may be more than was read. */
  isBehind = false;
  #waiting: ((result: Result) => void) | null = null;
  /** The next one last. */
  #events: NotificationEvent[] = [];
  #isClosed = false;

  /** @param position the id of the last notification that was read for it */
  constructor(
    readonly memberId: number,
    public position: number,
    readonly listeners: FeedListeners,
  ) {}

  /** Whether it can be given more. */
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
