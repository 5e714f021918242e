/**
 * The deliveries of webhooks (docs/decisions/webhooks.md). They run beside the queue of jobs, each by itself: a receiver that does not respond delays no
 * other. Times are those of the clock of the database.
 */
import { randomUUID } from 'node:crypto';
import ms from 'ms';
import { addAttempt } from '../commands/webhook.js';
import { type ChangePage, readChanges } from '../models/change.js';
import { LATEST, parseChangeCursor } from '../models/change-cursor.js';
import { LOCK_ROLES } from '../models/member/administration.js';
import {
  CLAIM_DUE,
  DELIVERY_FAILED,
  type Delivery,
  MESSAGE_DELIVERED,
  MOVE_CURSOR,
  RELEASE_CLAIM,
  REPLACE_SEALED,
  STORE_MESSAGE,
  type StoredMessage,
} from '../models/webhook/delivery.js';
import { BATCH, type DisabledReason, typesOf } from '../models/webhook/webhook.js';
import { withTimeout } from '../platform/concurrency/timeout.js';
import { JOBS } from '../platform/database/connection-shares.js';
import { describeError } from '../platform/database/mask-error.js';
import type { Database } from '../platform/database/pool.js';
import { AppError } from '../platform/errors.js';
import { secretsOf } from '../services/auth/session.js';
import type { Services } from '../services/index.js';
import { enqueueMail } from '../services/mail/enqueue.js';
import { openSecret, openSecrets, sealSecret } from '../services/webhooks/secret.js';
import { type Attempt, delayAfter, type SendOptions, send } from '../services/webhooks/send.js';
import { webhookDeliveries } from './metrics.js';
import { batchMessageOf, eventOf, messageOf } from './webhook-message.js';

/** Changes that are read at once. */
const PAGE_SIZE = 100;
/** While the feed is being filled. */
const FILLING_MS = 10_000;
/** For attempts in progress when the process stops. Later ones are made again by another process, with the same message. */
const GRACE_MS = 2_500;

/** Between two lines of the log about failed attempts of one webhook in one process. */
const WARNING_INTERVAL_MS = ms('1m');

type Needed = Pick<Services, 'config' | 'database' | 'jwtSecret' | 'log'>;

export class WebhookDeliveries {
  readonly #services: Needed;
  readonly #database: Database;
  readonly #timeout: SendOptions['timeout'];
  readonly #running = new Set<Promise<void>>();
  readonly #aborting = new AbortController();
  /** When a failed attempt was last logged, by webhook. */
  readonly #warnedAt = new Map<number, number>();
  #isStopped = false;

  constructor(services: Needed, timeout?: SendOptions['timeout']) {
    this.#services = services;
    this.#database = services.database.forClient(JOBS);
    this.#timeout = timeout;
  }

  /** Starts the deliveries that are due, and does not wait for them. */
  async startDue(): Promise<void> {
    if (this.#isStopped) return;
    const claim = randomUUID();
    for (const due of await this.#database.query(CLAIM_DUE, [claim, this.#now()])) {
      const run = new Run(this.#services, this.#database, claim, {
        signal: this.#aborting.signal,
        isStopped: () => this.#isStopped,
        timeout: this.#timeout,
        warnedAt: this.#warnedAt,
      });
      const running = run.deliver(due).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Resolves when the deliveries that have been started are done. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await withTimeout(this.settled(), GRACE_MS);
    this.#aborting.abort();
    await this.settled();
  }

  #now(): Date {
    return new Date(this.#services.database.now());
  }
}

interface RunOptions extends Pick<SendOptions, 'signal' | 'timeout'> {
  readonly warnedAt: Map<number, number>;
  isStopped(): boolean;
}

/** One delivery after the other, until nothing is due for the webhook, or an attempt fails. */
class Run {
  /** What was read of the feed after the cursor. */
  #ahead: (ChangePage & { at: string }) | null = null;

  constructor(
    private readonly services: Needed,
    private readonly database: Database,
    private readonly claim: string,
    private readonly options: RunOptions,
  ) {}

  async deliver(claimed: Delivery): Promise<void> {
    const { id } = claimed;
    try {
      for (let row: Delivery | undefined = claimed; row && !this.options.isStopped(); ) row = await this.#step(row);
    } catch (error) {
      if (!this.options.signal?.aborted)
        this.services.log.warn({ err: describeError(error), webhook: id }, 'webhook: cannot deliver, trying again');
    }
    await this.database
      .query(RELEASE_CLAIM, [id, this.claim])
      .catch((error) =>
        this.services.log.warn({ err: describeError(error), webhook: id }, 'webhook: cannot release the claim'),
      );
  }

  /** @returns undefined when nothing is due any more */
  async #step(row: Delivery): Promise<Delivery | undefined> {
    const { message } = row;
    if (message === null) return this.#next(row);
    if (row.isPublic) return this.#attempt(row, message);
    webhookDeliveries.inc({ result: 'dropped' });
    return this.#move(row, message.cursor);
  }

  async #next(row: Delivery): Promise<Delivery | undefined> {
    try {
      return await (row.events.includes(BATCH) ? this.#nextBatch(row) : this.#nextChange(row));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.key === 'CURSOR_EXPIRED') await this.#fail(row, row.failures, null, 'expired');
      else if (error.key === 'SERVICE_UNAVAILABLE') await this.#move(row, row.cursor, null, this.#in(FILLING_MS));
      else throw error;
      return undefined;
    }
  }

  /** Stores the message of the next change that the webhook wants, or moves the cursor to the end of the feed. */
  async #nextChange(row: Delivery): Promise<Delivery | undefined> {
    if (this.#ahead?.at !== row.cursor) this.#ahead = await this.#read(row);
    const { changes, cursorAfter, cursor, hasMore } = this.#ahead;
    for (let change = changes.shift(); change; change = changes.shift()) {
      if (!row.events.includes(eventOf(change))) continue;
      const message = messageOf(this.services.config, change, cursorAfter(change));
      this.#ahead.at = message.cursor;
      return this.#store(row, message, change.changedAt);
    }
    this.#ahead = null;
    const moved = cursor === row.cursor ? row : await this.#move(row, cursor);
    return hasMore ? moved : undefined;
  }

  /** Stores a message for all changes until now, some time after the first of them. */
  async #nextBatch(row: Delivery): Promise<Delivery | undefined> {
    const { changes, cursor, hasMore } = await this.#read(row);
    const [first] = changes;
    if (!first) {
      const moved = cursor === row.cursor ? row : await this.#move(row, cursor, hasMore ? row.pendingSince : null);
      return hasMore ? moved : undefined;
    }
    // The clock may have been ahead when the change was stored.
    const firstAt = new Date(Math.min(Number(row.pendingSince ?? new Date(first.changedAt)), Number(this.#in(0))));
    const due = new Date(firstAt.getTime() + this.services.config.webhooks.batchMs);
    if (due > this.#in(0)) {
      await this.#move(row, row.cursor, firstAt, due);
      return undefined;
    }
    const latest = await readChanges(this.database, { since: LATEST, types: [], size: 1 });
    return this.#store(row, batchMessageOf(row.cursor, latest.cursor, firstAt), firstAt);
  }

  async #read({ cursor, events }: Delivery): Promise<ChangePage & { at: string }> {
    const request = { since: cursor, types: typesOf(events), size: PAGE_SIZE };
    return { ...(await readChanges(this.database, request)), at: cursor };
  }

  async #attempt(row: Delivery, message: StoredMessage): Promise<Delivery | undefined> {
    const { config, jwtSecret, database } = this.services;
    const now = database.now();
    const secrets = openSecrets(row, secretsOf(this.services), now);
    const [secret] = secrets;
    if (secret === undefined) {
      await this.#fail(row, row.failures, null, 'secret');
      return undefined;
    }
    if (openSecret(row.secret, [jwtSecret]) === null)
      await this.database.query(REPLACE_SEALED, [row.id, row.secret, sealSecret(secret, jwtSecret)]);
    const { signal, timeout } = this.options;
    const attempt = await send({ url: row.url, secrets }, message, {
      allowedHosts: config.webhooks.allowedHosts,
      now,
      ...(signal && { signal }),
      ...(timeout && { timeout }),
    });
    webhookDeliveries.inc({ result: attempt.isDelivered ? 'delivered' : 'failed' });
    await addAttempt(this.database, row.id, attempt);
    if (!attempt.isDelivered) return this.#failed(row, attempt);
    const values = [...this.#claimOf(row), message.id, attempt.attemptedAt] as const;
    return (await this.database.query(MESSAGE_DELIVERED, [...values]))[0];
  }

  async #failed(row: Delivery, { status, error, retryAfterMs }: Attempt): Promise<undefined> {
    const failures = row.failures + 1;
    const delay = delayAfter(failures, retryAfterMs);
    const now = this.services.database.now();
    if (now - (this.options.warnedAt.get(row.id) ?? Number.NEGATIVE_INFINITY) >= WARNING_INTERVAL_MS) {
      this.options.warnedAt.set(row.id, now);
      this.services.log.warn({ webhook: row.id, status, error, failures }, 'webhook: attempt failed');
    }
    const reason = status === 410 ? 'gone' : delay === null ? 'failed' : null;
    await this.#fail(row, failures, delay, reason);
  }

  /** With a reason, the webhook is disabled, and the admins receive an email. */
  async #fail(row: Delivery, failures: number, delayMs: number | null, reason: DisabledReason | null): Promise<void> {
    const { log } = this.services;
    const { id, message } = row;
    await this.database.transaction(async (db) => {
      const next = delayMs === null || reason !== null ? null : this.#in(delayMs);
      // Members before webhooks, as changes by admins lock them.
      const recipients = reason === null ? [] : await db.query(LOCK_ROLES, [[]]);
      const values = [id, this.claim, message?.id ?? null, failures, next, reason] as const;
      const [failed] = await db.query(DELIVERY_FAILED, [...values]);
      if (!failed || reason === null) return;
      const about = { id, host: new URL(row.url).host, reason };
      for (const { id: memberId } of recipients)
        await enqueueMail(db, this.services, { template: 'webhookDisabled', memberId, values: about });
    });
    if (reason !== null) log.warn({ webhook: id, reason }, 'webhook disabled');
  }

  async #store(row: Delivery, message: StoredMessage, since: Date | string): Promise<Delivery | undefined> {
    const values = [...this.#claimOf(row), row.cursor, JSON.stringify(message), since] as const;
    return (await this.database.query(STORE_MESSAGE, [...values]))[0];
  }

  /** @param cursor the new one; the message that waits is dropped */
  async #move(
    row: Delivery,
    cursor: string,
    pendingSince: Date | null = null,
    nextAttemptAt: Date | null = null,
  ): Promise<Delivery | undefined> {
    const position = parseChangeCursor(cursor)?.position ?? 0;
    const to = [row.cursor, cursor, position, pendingSince, nextAttemptAt] as const;
    return (await this.database.query(MOVE_CURSOR, [...this.#claimOf(row), ...to]))[0];
  }

  #claimOf({ id }: Delivery): [id: number, claim: string, now: Date] {
    return [id, this.claim, this.#in(0)];
  }

  #in(ms: number): Date {
    return new Date(this.services.database.now() + ms);
  }
}
