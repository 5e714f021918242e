/** The feeds that are open in this process, and the reading for them: one statement for all whose members were called. */

import type { Database } from '../database/pool.js';
import { Loaders } from '../loaders/index.js';
import { NEWEST_NOTIFICATION, NOTIFICATIONS_AFTER } from '../models/notification-feed.js';
import type { Log } from '../observability/log.js';
import { Batches } from './batches.js';
import { ByMember } from './by-member.js';
import { Feed, type NotificationEvent } from './feed.js';
import { requireRoom } from './room.js';

/** Notifications that are read for one feed at a time. */
const PAGE = 50;
/** Feeds that are read for together. */
const FEEDS_AT_ONCE = 200;

export class Feeds {
  readonly #open = new ByMember<Feed>();
  readonly #reading: Batches<Feed>;

  /** @param most feeds that one member may have open */
  constructor(
    readonly database: Database,
    readonly most: number,
    log: Log,
  ) {
    this.#reading = new Batches(FEEDS_AT_ONCE, (feeds) => this.#read(feeds), log);
  }

  /**
   * What comes for a member from now on, or what came after the notification with the id `after`.
   * @throws AppError RATE_LIMITED where the member has enough of them
   */
  async open(memberId: number, after: number | null): Promise<Feed> {
    const [found] = await this.database.query(NEWEST_NOTIFICATION, [memberId]);
    const newest = found?.newest ?? 0;
    requireRoom(this.#open.of(memberId), this.most);
    const feed = new Feed(memberId, Math.min(after ?? newest, newest), {
      onEmpty: () => this.#reading.add([feed]),
      onClose: () => this.#open.delete(feed),
    });
    this.#open.add(feed);
    // What came since the position was read: from here on it is called.
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

  /** Streams of one member that stand at the same place share what is read. */
  async #read(feeds: Feed[]): Promise<void> {
    const groups = grouped(ready(feeds), ({ memberId, position }) => `${memberId} ${position}`);
    const heads = [...groups.values()].flatMap(([head]) => head ?? []);
    if (heads.length === 0) return;
    const values = [heads.map(({ memberId }) => memberId), heads.map(({ position }) => position), PAGE];
    const rows = await this.database.query(NOTIFICATIONS_AFTER, values);
    const loaders = new Loaders(this.database);
    const found = grouped(rows, ({ memberId, known }) => `${memberId} ${known}`);
    for (const [place, group] of groups) {
      const events = found.get(place)?.map((notification): NotificationEvent => ({ notification, loaders })) ?? [];
      for (const feed of group) feed.push(events, events.length === PAGE);
    }
  }
}

/** One that has not taken what it has asks again when it has. */
function ready(feeds: Feed[]): Feed[] {
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
