/**
 * Views of articles, which wait in memory until the next full minute. Addresses and user agents are not kept, only hashes of them with a salt of the
 * day (docs/decisions/views.md).
 */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import { Counter } from 'prom-client';
import { COUNT_VIEWS, type CountedViews, type Day, SALTS_OF_DAYS } from '../../models/view.js';
import { withTimeout } from '../../platform/concurrency/timeout.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import type { Database } from '../../platform/database/pool.js';
import { networkOf } from '../../platform/http/client-address.js';
import type { ClientInfo } from '../../platform/http/request.js';
import type { Log } from '../../platform/observability/log.js';
import { signedMemberId, type TokenKeys } from '../auth/session.js';

/** Views that wait in each process until they are written, at the next full minute. Further ones are not counted. */
const MAX_WAITING = 500_000;

/** The same for one network. */
export const MAX_WAITING_OF_NETWORK = 1_000;

const MAX_READERS = fixedLimit({
  area: 'Reading',
  about: 'Readers in one network whose views of an article count on one day in UTC.',
  value: 10,
  error: null,
});

const dropped = new Counter({
  name: 'daybook_views_dropped_total',
  help: 'Views that were not counted, by reason: memory, if too many wait; network, if too many of one network wait; salt, if the database was unavailable for a day.',
  labelNames: ['reason'] as const,
});

/** Readers that one transaction counts. */
const BATCH = 5_000;
/** For articles whose counters another transaction is changing. After the last attempt, their views wait for the next full minute. */
const ATTEMPTS = 5;
const RETRY_MS = 100;
const STOP_MS = 3_000;

const HASH_BYTES = 12;
/** Characters of a hash in Base64. */
const HASH_LENGTH = 16;

/** The readers of an article in one network. */
interface Waiting {
  /** The other fields except `readers`, by which further readers are found. */
  key: string;
  day: Day;
  articleId: number;
  /** Of the tokens that were sent; 0 without one. */
  memberId: number;
  /** Hash of the network. */
  network: string;
  /** Their hashes, each after a space. */
  readers: string;
}

export class ViewCounter {
  readonly #database: Database;
  readonly #log: Log;
  readonly #maxWaiting: number;
  /** `readers` by `key`. Strings take a third of the memory of objects. */
  readonly #waiting = new Map<string, string>();
  /** The number of readers that wait, also for each hash of a network. */
  #size = 0;
  readonly #sizes = new Map<string, number>();
  /** Those of today and tomorrow, in Base64. */
  #salts = new Map<Day, string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  /** @param maxWaiting a test may reduce it */
  constructor(database: Database, log: Log, maxWaiting = MAX_WAITING) {
    this.#database = database;
    this.#log = log;
    this.#maxWaiting = maxWaiting;
  }

  /** Counts a view of the current day, once for each reader. @param memberId the member of the token; 0: none */
  record(articleId: number, memberId: number, { address, device }: ClientInfo): void {
    const day = dayOf(this.#database.now());
    const salt = this.#salts.get(day);
    if (salt === undefined) return void dropped.inc({ reason: 'salt' });
    const network = hashOf(salt, networkOf(address));
    // Strings that are joined or decoded take less memory than those that refer to their parts.
    const key = [day, articleId, memberId, network].join(' ');
    const readers = this.#waiting.get(key) ?? '';
    // If ten wait, the network has reached its limit when they are written, whether or not they have been counted before.
    if (readers.length >= MAX_READERS * (HASH_LENGTH + 1)) return;
    const reader = hashOf(network, String(articleId), device);
    if (readers.includes(reader)) return;
    const sizeOfNetwork = this.#sizes.get(network) ?? 0;
    if (sizeOfNetwork >= MAX_WAITING_OF_NETWORK) return void dropped.inc({ reason: 'network' });
    if (this.#size >= this.#maxWaiting) return void dropped.inc({ reason: 'memory' });
    this.#waiting.set(key, [readers, reader].join(' '));
    this.#sizes.set(network, sizeOfNetwork + 1);
    this.#size++;
  }

  /** Reads the salts, without which no view is counted. */
  async open(): Promise<void> {
    await this.#readSalts().catch((error: unknown) => this.#report(error));
  }

  /** Writes the views at each full minute of the database's clock, as all processes do. */
  start(): void {
    const rest = ms('1m') - (this.#database.now() % ms('1m'));
    this.#timer = setTimeout(() => {
      this.start();
      void this.write();
    }, rest).unref();
  }

  /** Writes the views, for at most three seconds. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await withTimeout(this.#finish(), STOP_MS);
    if (this.#size > 0) this.#log.warn({ views: this.#size }, 'views were not written before the stop, and are lost');
  }

  /** Resolves when the views that wait are written. If that fails, they wait for the next call. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#writing = undefined;
      });
    return this.#writing;
  }

  async #finish(): Promise<void> {
    await this.#writing;
    if (this.#size > 0) await this.write();
  }

  #report(error: unknown): void {
    this.#log.warn(
      { err: (error as Error).message, views: this.#size },
      'views cannot be written, trying again at the next full minute',
    );
  }

  async #writeAll(): Promise<void> {
    if (!this.#salts.has(dayOf(this.#database.now() + ms('1d')))) await this.#readSalts();
    for (const batch of this.#batches()) await this.#writeBatch(batch);
  }

  /** Tomorrow's salt is read now, so that no view waits for the database after midnight. The views that wait need no salt. */
  async #readSalts(): Promise<void> {
    const days = [0, ms('1d')].map((later) => dayOf(this.#database.now() + later));
    const salts = days.map(() => randomBytes(32).toString('base64'));
    const rows = await this.#database.query(SALTS_OF_DAYS, [days, salts]);
    this.#salts = new Map(rows.map(({ day, salt }) => [day, salt]));
  }

  /** Of one day each. Views that are recorded meanwhile are not in them. */
  *#batches(): Generator<Waiting[]> {
    let rest = this.#waiting.size;
    let batch: Waiting[] = [];
    let readers = 0;
    for (const [key, value] of this.#waiting) {
      if (rest-- === 0) break;
      const [day = '', articleId, memberId, network = ''] = key.split(' ');
      if (batch.length > 0 && (readers >= BATCH || batch[0]?.day !== day)) {
        yield batch;
        [batch, readers] = [[], 0];
      }
      batch.push({ key, day, articleId: Number(articleId), memberId: Number(memberId), network, readers: value });
      readers += countOf(value);
    }
    if (batch.length > 0) yield batch;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    let rest = batch;
    for (let attempt = 1; rest.length > 0 && attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) await delay(RETRY_MS);
      const [row] = await this.#database.query(COUNT_VIEWS, valuesOf(rest));
      const uncounted = new Set(row?.articleIds);
      for (const one of rest) if (!uncounted.has(one.articleId)) this.#remove(one);
      rest = rest.filter(({ articleId }) => uncounted.has(articleId));
    }
  }

  /** Readers that were added while the others were written remain. */
  #remove({ key, network, readers }: Waiting): void {
    const added = (this.#waiting.get(key) ?? '').slice(readers.length);
    if (added === '') this.#waiting.delete(key);
    else this.#waiting.set(key, added);
    const sizeOfNetwork = (this.#sizes.get(network) ?? 0) - countOf(readers);
    if (sizeOfNetwork === 0) this.#sizes.delete(network);
    else this.#sizes.set(network, sizeOfNetwork);
    this.#size -= countOf(readers);
  }
}

/** One element of each array for each reader. The hash of a network in the database differs by article. */
function valuesOf(batch: readonly Waiting[]): CountedViews {
  const rows = batch.flatMap(({ articleId, memberId, network, readers }) => {
    const ofArticle = hashOf(network, String(articleId));
    const hashes = readers.split(' ').slice(1);
    return hashes.map((reader) => ({ articleId, memberId, network: ofArticle, reader }));
  });
  return [
    batch[0]?.day ?? '',
    rows.map(({ articleId }) => articleId),
    rows.map(({ memberId }) => memberId),
    rows.map(({ network }) => network),
    rows.map(({ reader }) => reader),
    MAX_READERS,
  ];
}

function countOf(readers: string): number {
  return readers.length / (HASH_LENGTH + 1);
}

/** The parts contain no line break. */
function hashOf(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'buffer').toString('base64', 0, HASH_BYTES);
}

function dayOf(milliseconds: number): Day {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The part of a request's context that tells who views an article. */
interface Visit extends TokenKeys {
  readonly services: { readonly views: ViewCounter };
  readonly client: ClientInfo;
  readonly viewer: { readonly memberId: number } | null;
  /** The Authorization header as sent. */
  readonly authorization: string | undefined;
  /** The Sec-Purpose header; empty if absent. */
  readonly purpose: string;
}

/**
 * Names of robots and of HTTP libraries; most robots also have the address of a page about them in their user agent. It need not be complete: robots that
 * run no scripts send no views. (Cubot is a brand of telephones.)
 */
const ROBOT =
  /https?:|(?<!cu)bot|crawl|spider|slurp|scrap|preview|headless|lighthouse|monitor|curl\/|wget|python|java\/|go-http|libwww|axios|undici|\bnode/i;

/**
 * Counts views of readers, and not of robots, prefetches and authors. Without a statement: whether the article exists, is public, and belongs to the member of the token is checked when the views are written.
 */
export function recordView(visit: Visit, articleId: string): void {
  const { client, purpose, viewer, authorization } = visit;
  const id = /^[1-9]\d*$/.test(articleId) ? Number(articleId) : Number.NaN;
  if (!Number.isSafeInteger(id) || /prefetch/i.test(purpose)) return;
  if (client.device === '' || ROBOT.test(client.device)) return;
  visit.services.views.record(id, viewer?.memberId ?? signedMemberId(visit, authorization), client);
}
