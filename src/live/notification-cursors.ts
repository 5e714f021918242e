/** The open feeds of this process, and batched reads for them: one statement for the feeds of all notified members. */

import type { Database } from '../database/pool.js';
import { Loaders } from '../loaders/index.js';
import { NEWEST_NOTIFICATION, NOTIFICATIONS_AFTER } from '../models/notification/list.js';
import type { Log } from '../observability/log.js';
import { ByMember } from './by-member.js';
import { CoalescingQueue } from './coalescing-queue.js';
import { NotificationCursor, type NotificationEvent } from './notification-cursor.js';
import { requireStreamSlot } from './stream-slot.js';

/** Page size: notifications read for one feed at a time. */
const PAGE = 50;
/** Maximum number of feeds in one read. */
const FEEDS_AT_ONCE = 200;

export class NotificationCursors {
  readonly #open = new ByMember<NotificationCursor>();
  readonly #reading: CoalescingQueue<NotificationCursor>;

  /** @param most maximum number of open feeds of one member */
  constructor(
    readonly database: Database,
    readonly most: number,
    log: Log,
  ) {
    this.#reading = new CoalescingQueue(FEEDS_AT_ONCE, (feeds) => this.#read(feeds), log);
  }

  /**
   * A feed of the member's new notifications, or of those after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has the maximum number of feeds open
   */
  async open(memberId: number, after: number | null): Promise<NotificationCursor> {
    const [found] = await this.database.query(NEWEST_NOTIFICATION, [memberId]);
    const newest = found?.newest ?? 0;
    requireStreamSlot(this.#open.of(memberId), this.most);
    const feed = new NotificationCursor(memberId, Math.min(after ?? newest, newest), {
      onEmpty: () => this.#reading.add([feed]),
      onClose: () => this.#open.delete(feed),
    });
    this.#open.add(feed);
    // For notifications created between the read of the position and this registration; later ones arrive as NOTIFY.
    this.#reading.add([feed]);
    return feed;
  }

  wake(memberId: number): void {
    this.#reading.add(this.#open.of(memberId));
  }

  wakeAll(): void {
    this.#reading.add(this.#open.all());
  }

  stop(): void {
    this.#reading.stop();
    for (const feed of this.#open.all()) void feed.return();
  }

  /** Feeds of one member with the same position share one read. */
  async #read(feeds: NotificationCursor[]): Promise<void> {
    const groups = grouped(ready(feeds), ({ memberId, position }) => `${memberId} ${position}`);
    const heads = [...groups.values()].flatMap(([head]) => head ?? []);
    if (heads.length === 0) return;
    const memberIds = heads.map(({ memberId }) => memberId);
    const positions = heads.map(({ position }) => position);
    const rows = await this.database.query(NOTIFICATIONS_AFTER, [memberIds, positions, PAGE]);
    const loaders = new Loaders(this.database);
    const found = grouped(rows, ({ memberId, known }) => `${memberId} ${known}`);
    for (const [place, group] of groups) {
      const events = found.get(place)?.map((notification): NotificationEvent => ({ notification, loaders })) ?? [];
      for (const feed of group) feed.push(events, events.length === PAGE);
    }
  }
}

/** Feeds with an empty buffer. The others are marked as behind and request a read when their buffer is empty (`onEmpty`). */
function ready(feeds: NotificationCursor[]): NotificationCursor[] {
  for (const feed of feeds) feed.isBehind = !feed.isReady;
  return feeds.filter(({ isReady }) => isReady);
}

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
