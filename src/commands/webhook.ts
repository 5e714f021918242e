/** Creates, changes, resumes, tests and deletes webhooks: short commands in one file. */
import { randomUUID } from 'node:crypto';
import ms from 'ms';
import { readChanges } from '../models/change.js';
import { LATEST, parseChangeCursor } from '../models/change-cursor.js';
import { LOCK_ROLES } from '../models/member/administration.js';
import type { EventKind } from '../models/session/security-event.js';
import { ADD_ATTEMPT, type AttemptRow } from '../models/webhook/attempt.js';
import { TARGET_OF_WEBHOOK } from '../models/webhook/delivery.js';
import {
  ADD_WEBHOOK,
  BATCH,
  CHANGE_WEBHOOK,
  DELETE_WEBHOOK,
  DISABLE_WEBHOOK,
  ENABLE_WEBHOOK,
  MAX_WEBHOOKS,
  ROTATE_SECRET,
  WEBHOOK_EVENTS,
  type WebhookRow,
} from '../models/webhook/webhook.js';
import type { Config } from '../platform/config/index.js';
import type { Database, Transaction } from '../platform/database/pool.js';
import { AppError, invalid } from '../platform/errors.js';
import { createMessage } from '../platform/messages/message.js';
import { inspectValue } from '../platform/text.js';
import { recordEvent } from '../services/auth/audit.js';
import { requireAdmin } from '../services/auth/permission.js';
import type { Caller, Viewer } from '../services/auth/policy.js';
import { secretsOf } from '../services/auth/session.js';
import { generateSecret, openSecrets, sealSecret } from '../services/webhooks/secret.js';
import { isPermitted, send } from '../services/webhooks/send.js';
import { lockAccount } from './login-methods.js';

/** Time in which the former secret signs too. */
const ROTATION_MS = ms('24h');

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly string[];
}

interface AdminChange {
  readonly kind: EventKind;
  /** From requireProof; absent: a change without proof. */
  readonly passwordHash?: string | null | undefined;
}

/**
 * The transaction of a change by an admin.
 * @throws AppError ROLE_MISSING, and the errors of `lockAccount`
 */
export function changeAsAdmin<Result>(
  caller: Caller,
  viewer: Viewer,
  { kind, passwordHash }: AdminChange,
  work: (db: Transaction) => Promise<Result>,
): Promise<Result> {
  return caller.database.transaction(async (db) => {
    await lockAdmin(db, viewer, passwordHash);
    const result = await work(db);
    await recordEvent(db, caller, { kind, memberId: viewer.memberId });
    return result;
  });
}

/** The role is read again under the lock, which makes counts of webhooks valid. */
async function lockAdmin(db: Transaction, viewer: Viewer, passwordHash?: string | null): Promise<void> {
  const roles = await db.query(LOCK_ROLES, [[viewer.memberId]]);
  await lockAccount(db, viewer, passwordHash);
  requireAdmin(roles.find(({ id }) => id === viewer.memberId)?.role ?? 'MEMBER');
}

/** The caller must have locked the admins. @throws AppError WEBHOOK_LIMIT_REACHED, SERVICE_UNAVAILABLE while the feed is being filled */
export async function addWebhook(
  db: Transaction,
  jwtSecret: string,
  { url, events }: NewWebhook,
): Promise<WebhookRow & { secret: string }> {
  const secret = generateSecret();
  const [row] = await db.query(ADD_WEBHOOK, [
    ...([url, events, sealSecret(secret, jwtSecret)] as const),
    ...(await placeOf(db, LATEST)),
  ]);
  if (!row)
    throw new AppError('WEBHOOK_LIMIT_REACHED', { message: createMessage('webhookLimitReached', MAX_WEBHOOKS) });
  return { ...row, secret };
}

export interface WebhookChange {
  readonly url: string | null;
  readonly events: readonly string[] | null;
  readonly enabled: boolean | null;
}

/** @throws AppError WEBHOOK_NOT_FOUND, CURSOR_EXPIRED */
export async function changeWebhook(
  db: Transaction,
  id: number,
  { url, events, enabled }: WebhookChange,
): Promise<WebhookRow> {
  const [changed] = await db.query(CHANGE_WEBHOOK, [id, url, events]);
  if (!changed) throw new AppError('WEBHOOK_NOT_FOUND');
  if (enabled === null || enabled === changed.enabled) return changed;
  if (enabled) return resumeWebhook(db, id, null);
  const [disabled] = await db.query(DISABLE_WEBHOOK, [id]);
  return disabled ?? changed;
}

/**
 * @param since a cursor of the feed, `latest`, or null: where it stopped
 * @throws AppError WEBHOOK_NOT_FOUND, CURSOR_EXPIRED, VALIDATION_FAILED
 */
export async function resumeWebhook(db: Transaction, id: number, since: string | null): Promise<WebhookRow> {
  const [target] = await db.query(TARGET_OF_WEBHOOK, [id]);
  if (!target) throw new AppError('WEBHOOK_NOT_FOUND');
  const place = await placeOf(db, since ?? target.cursor).catch((error) => {
    if (!(error instanceof AppError && error.key === 'CURSOR_EXPIRED')) throw error;
    throw new AppError('CURSOR_EXPIRED', { message: createMessage('webhookCursorExpired') });
  });
  const [row] = await db.query(ENABLE_WEBHOOK, since === null ? [id, null, null] : [id, ...place]);
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
  return row;
}

/** @throws AppError WEBHOOK_NOT_FOUND */
export async function deleteWebhook(db: Transaction, id: number): Promise<WebhookRow> {
  const [row] = await db.query(DELETE_WEBHOOK, [id]);
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
  return row;
}

/** @throws AppError WEBHOOK_NOT_FOUND */
export async function rotateSecret(db: Transaction, id: number, jwtSecret: string): Promise<string> {
  const secret = generateSecret();
  const until = new Date(db.now() + ROTATION_MS);
  const [row] = await db.query(ROTATE_SECRET, [id, sealSecret(secret, jwtSecret), until]);
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
  return secret;
}

/** Sends a test message, also to a disabled webhook. @throws AppError WEBHOOK_NOT_FOUND, and as `changeAsAdmin` */
export async function testWebhook(caller: Caller, viewer: Viewer, id: number): Promise<AttemptRow> {
  const { database, config } = caller;
  const [target] = await database.transaction(async (db) => {
    await lockAdmin(db, viewer);
    return db.query(TARGET_OF_WEBHOOK, [id]);
  });
  if (!target) throw new AppError('WEBHOOK_NOT_FOUND');
  const now = database.now();
  const event = 'webhook.test';
  const body = JSON.stringify({ type: event, timestamp: new Date(now).toISOString(), data: { webhookId: id } });
  const { isDelivered, retryAfterMs, ...attempt } = await send(
    { url: target.url, secrets: openSecrets(target, secretsOf(caller), now) },
    { id: newMessageId(), event, body, cursor: target.cursor },
    { allowedHosts: config.webhooks.allowedHosts, now },
  );
  return addAttempt(database, id, attempt);
}

/** @throws AppError WEBHOOK_NOT_FOUND */
export async function addAttempt(database: Database, id: number, attempt: Omit<AttemptRow, 'id'>): Promise<AttemptRow> {
  const { messageId, event, cursor, attemptedAt, status, error, durationMs, response } = attempt;
  const sent = [messageId, event, cursor, attemptedAt] as const;
  const [row] = await database.query(ADD_ATTEMPT, [id, ...sent, status, error, durationMs, response]);
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND');
  return row;
}

/** Without a full stop, which separates it from what is signed with it. */
export function newMessageId(): string {
  return `msg_${randomUUID()}`;
}

/** The cursor and its position. @throws AppError VALIDATION_FAILED for `since`, CURSOR_EXPIRED, SERVICE_UNAVAILABLE */
async function placeOf(db: Transaction, since: string): Promise<[cursor: string, position: number]> {
  const page = await readChanges(db, { since, types: [], size: 1 });
  const cursor = since === LATEST ? page.cursor : since;
  return [cursor, parseChangeCursor(cursor)?.position ?? 0];
}

/** @returns each event once. @throws AppError VALIDATION_FAILED for `events` */
export function parseEvents(events: readonly string[]): string[] {
  const unknown = events.find((event) => !WEBHOOK_EVENTS.includes(event));
  if (unknown !== undefined)
    throw invalid('events', createMessage('mustBeOneOf', [...WEBHOOK_EVENTS], inspectValue(unknown)));
  if (events.length === 0) throw invalid('events', createMessage('mustHaveElement'));
  if (events.includes(BATCH) && events.some((event) => event !== BATCH))
    throw invalid('events', createMessage('eventStandsAlone', BATCH));
  return [...new Set(events)];
}

/** @throws AppError VALIDATION_FAILED for `url` */
export function requireWebhookUrl({ webhooks }: Pick<Config, 'webhooks'>, url: string): void {
  if (URL.canParse(url) && isPermitted(new URL(url), webhooks.allowedHosts)) return;
  throw invalid('url', createMessage('webhookUrlInvalid'));
}
