/** Executes each request with an Idempotency-Key once: a retry receives the stored response (docs/decisions/idempotency.md). */
import { setTimeout as sleep } from 'node:timers/promises';
import type Koa from 'koa';
import type { Transaction } from 'sequelize';
import { withTimeout } from '../concurrency/timeout.js';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Database } from '../database/pool.js';
import { AppError } from '../errors.js';
import { networkOf } from '../http/client-address.js';
import type { Limits } from '../limits/limits.js';
import type { LimitedRequest } from '../limits/operations.js';
import type { JointLimiter } from '../limits/rate-limiter.js';
import { Loaders } from '../loaders/index.js';
import { createMessage } from '../messages/message.js';
import { CLAIM_KEY, FIND_RESPONSE, lockOf, STORE_RESPONSE, type StoredResponse } from '../models/idempotency-key.js';
import { limitError } from '../observability/metrics/error.js';
import { identify, type RequestIdentity } from './key.js';
import { RequestTransaction } from './request-transaction.js';

export const KEY_LIFETIME_MS = fixedLimit({
  area: 'Writing',
  value: 24 * 60 * 60 * 1000,
  unit: 'ms',
  error: null,
  about: 'Time for which the response to a request with an Idempotency-Key is stored. A later retry is executed again.',
});

const MAX_WAIT_MS = fixedLimit({
  area: 'Writing',
  value: 5_000,
  unit: 'ms',
  error: 'IDEMPOTENCY_KEY_IN_USE',
  about: 'Maximum time that a retry waits for the request with the same Idempotency-Key.',
});

const MAX_STORED_BYTES = fixedLimit({
  area: 'Writing',
  value: 1024 * 1024,
  unit: 'bytes',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Response to a request with an Idempotency-Key.',
});

/** The transaction of the request is open while the response is built. */
const MAX_COST = fixedLimit({
  area: 'Writing',
  value: 5_000,
  unit: 'count',
  error: 'QUERY_TOO_COMPLEX',
  about: 'Cost of an operation with an Idempotency-Key.',
});

/** Bytes of a stored response that do not count as bytes of text: names of fields, ids and times. */
const FREE_BYTES = 4 * 1024;

/** Interval of looking for the response of a request that another process executes. */
const POLL_INTERVAL_MS = 100;

/** Headers that are stored with a response. */
const STORED_HEADERS = ['content-type', 'content-language', 'cache-control', 'etag'];

/** Ends an attempt that did not claim the key. It is not sent: the response follows from what was found under the key. */
export class NotExecuted extends AppError {
  constructor() {
    super('IDEMPOTENCY_KEY_IN_USE');
  }
}

/** The context of a request, of which each attempt to execute it has a copy. */
interface KeyedContext extends LimitedRequest {
  readonly database: Database;
  readonly limits: Limits;
  readonly loaders: Loaders;
  /** `memberId`: the member that the request has created. */
  readonly responseMeta: { readonly memberId: number | null };
}

export interface KeyedRequest {
  readonly key: string;
  /** The operation and its input, as values of JSON and bytes of files. */
  readonly input: readonly unknown[];
}

/** `stored`: the response of an earlier request. `running`: another process executes a request with this key. */
type Outcome = { readonly stored: StoredResponse } | { readonly sent: StoredResponse | null } | 'running';

export class IdempotencyKeys {
  /** Requests in progress in this process. Each resolves to its response; null if nothing was stored. */
  readonly #running = new Map<string, Promise<StoredResponse | null>>();

  /** @param secret of the service, the same in all processes */
  constructor(private readonly secret: string) {}

  /**
   * Responds with the stored response, or executes the request.
   * @param respond executes the request and sets its response. @returns whether it was successful; otherwise its changes are rolled back
   * @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, and the errors of `respond`
   */
  async run<Context extends KeyedContext>(
    ctx: Koa.Context,
    context: Context,
    { key, input }: KeyedRequest,
    respond: (context: Context) => Promise<boolean>,
  ): Promise<void> {
    const { viewer, client, database } = context;
    const scope = viewer ? `member ${viewer.memberId}` : `network ${networkOf(client.address)}`;
    const identity = await identify(this.secret, scope, key, input);
    const name = identity.id.toString('base64');
    const deadline = performance.now() + MAX_WAIT_MS;
    while (performance.now() < deadline) {
      const running = this.#running.get(name);
      if (running) {
        const stored = await withTimeout(running, deadline - performance.now());
        if (stored) return replay(ctx, stored, identity);
        continue;
      }
      const outcome = await this.#exclusively(name, async () => {
        const attempt = await execute(ctx, context, identity, respond);
        return attempt === 'running' ? waitForStored(database, identity, deadline) : attempt;
      });
      if (outcome === 'running') continue;
      if ('stored' in outcome) replay(ctx, outcome.stored, identity);
      return;
    }
    throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
  }

  /** Other requests of this process with the same key wait meanwhile. */
  async #exclusively(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    let finish: (response: StoredResponse | null) => void = () => {};
    this.#running.set(name, new Promise((resolve) => (finish = resolve)));
    let response: StoredResponse | null = null;
    try {
      const outcome = await work();
      if (outcome !== 'running') response = 'stored' in outcome ? outcome.stored : outcome.sent;
      return outcome;
    } finally {
      this.#running.delete(name);
      finish(response);
    }
  }
}

/** @throws AppError IDEMPOTENCY_KEY_REUSED */
function replay(ctx: Koa.Context, stored: StoredResponse, { fingerprint }: RequestIdentity): void {
  if (!stored.fingerprint.equals(fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  ctx.body = stored.body;
  ctx.status = stored.status;
  ctx.set(stored.headers);
  ctx.set('Idempotency-Replayed', 'true');
}

/** Executes the request in one transaction with the key and the response, unless there is a response already. */
async function execute<Context extends KeyedContext>(
  ctx: Koa.Context,
  context: Context,
  identity: RequestIdentity,
  respond: (context: Context) => Promise<boolean>,
): Promise<Outcome> {
  const { database, viewer, budget, limits } = context;
  let found: Outcome | null = null;
  const transaction = new RequestTransaction(database, async (open) => {
    if (budget.cost > MAX_COST) throw tooCostly(budget.cost);
    found = await claim(database, identity, viewer?.memberId ?? null, open);
    if (found) throw new NotExecuted();
  });
  const writes = new DoubledWrites(limits.writes);
  const own = {
    ...context,
    database: transaction.database,
    loaders: new Loaders(transaction.database),
    limits: { ...limits, writes },
  };
  let failure: unknown = null;
  try {
    if (await respond(own)) {
      const response = capture(ctx, identity);
      const { status, headers, body } = response;
      await transaction.commit(async (open) => {
        const { memberId } = context.responseMeta;
        await database.query(STORE_RESPONSE, [identity.id, memberId, status, JSON.stringify(headers), body], open);
      });
      if (viewer) await writes.countExcess(Buffer.byteLength(body ?? ''), viewer.memberId);
      return { sent: response };
    }
  } catch (error) {
    failure = error;
  }
  await transaction.rollBack(failure);
  ctx.remove('ETag');
  if (found) return found;
  // An executed request can fail when it is repeated: a deleted article does not exist.
  const stored = await find(database, identity).catch(() => null);
  if (stored !== null && stored !== 'running') return stored;
  if (failure) throw failure;
  return { sent: null };
}

/** @returns null if the request has claimed the key */
async function claim(
  database: Database,
  { id, fingerprint }: RequestIdentity,
  memberId: number | null,
  transaction: Transaction,
): Promise<Outcome | null> {
  for (;;) {
    const values = [id, lockOf(id), memberId, fingerprint, KEY_LIFETIME_MS] as const;
    const [row] = await database.query(CLAIM_KEY, [...values], transaction);
    if (row?.isClaimed) return null;
    if (row && row.status !== null) return { stored: row };
    if (!row?.isFree) return 'running';
  }
}

/** @returns null if nothing is stored, and no request with the key is running */
async function find(database: Database, { id }: RequestIdentity): Promise<Outcome | null> {
  const [row] = await database.query(FIND_RESPONSE, [id, lockOf(id), KEY_LIFETIME_MS]);
  if (row && row.status !== null) return { stored: row };
  return row?.isFree ? null : 'running';
}

/** Waits for the response of another process. @returns `running` also if it has failed: the request can then be executed */
async function waitForStored(database: Database, identity: RequestIdentity, deadline: number): Promise<Outcome> {
  for (;;) {
    const found = await find(database, identity);
    if (found !== 'running') return found ?? 'running';
    if (performance.now() + POLL_INTERVAL_MS > deadline) return 'running';
    await sleep(POLL_INTERVAL_MS);
  }
}

/** @throws AppError QUERY_TOO_COMPLEX */
function capture({ status, body, response }: Koa.Context, { fingerprint }: RequestIdentity): StoredResponse {
  const text = typeof body === 'string' ? body : null;
  if (Buffer.byteLength(text ?? '') > MAX_STORED_BYTES) {
    const message = createMessage('responseTooLarge', MAX_STORED_BYTES / 1024 / 1024);
    throw limitError('stored response bytes', 'QUERY_TOO_COMPLEX', { message });
  }
  const sent = STORED_HEADERS.map((name) => [name, String(response.headers[name] ?? '')] as const);
  const headers = Object.fromEntries(sent.filter(([, value]) => value !== ''));
  return { fingerprint, status, headers, body: text };
}

function tooCostly(cost: number): AppError {
  const message = createMessage('keyedOperationTooCostly', MAX_COST, cost);
  return limitError('operation cost with a key', 'QUERY_TOO_COMPLEX', { message });
}

/** Counts the text of a change twice, since the stored response contains it again. */
class DoubledWrites implements JointLimiter {
  #bytes = 0;

  constructor(private readonly writes: JointLimiter) {}

  count([changes = 0, bytes = 0]: readonly number[], ...key: string[]): Promise<number[]> {
    this.#bytes = bytes;
    return this.writes.count([changes, 2 * bytes], ...key);
  }

  /** Counts the bytes of a stored response that exceed those of the text. The next change is rejected if they exceed the limit. */
  async countExcess(storedBytes: number, memberId: number): Promise<void> {
    const excess = storedBytes - this.#bytes - FREE_BYTES;
    if (excess > 0) await this.writes.count([0, excess], String(memberId)).catch(() => {});
  }
}
