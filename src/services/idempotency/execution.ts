/** Executes a request with an Idempotency-Key: in one transaction with the key and the response. */
import type Koa from 'koa';
import ms from 'ms';
import { Loaders } from '../../loaders/index.js';
import { OthersRows } from '../../loaders/others-rows.js';
import { CLAIM_KEY, FIND_RESPONSE, lockOf, STORE_RESPONSE, type StoredResponse } from '../../models/idempotency-key.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { throwMapped } from '../../platform/database/constraint-violation.js';
import type { Database, OpenTransaction, Transaction, TransactionOptions } from '../../platform/database/pool.js';
import { AppError } from '../../platform/errors.js';
import { createMessage } from '../../platform/messages/message.js';
import { limitError } from '../../platform/observability/metrics/error.js';
import { readerOf, type Viewer } from '../auth/policy.js';
import type { Limits } from '../limits/limits.js';
import type { LimitedRequest } from '../limits/operations.js';
import { IdempotentWriteLimiter } from '../limits/writes.js';
import type { HtmlReader } from '../rendering/article-html.js';
import type { DeferredHtml } from '../rendering/deferred-html.js';
import { completeResponse, deferredHtmlOf, MAX_STORED_BYTES } from './completion.js';
import type { RequestIdentity } from './key.js';

export const KEY_LIFETIME_MS = fixedLimit({
  area: 'Writing',
  value: ms('24h'),
  unit: 'ms',
  error: null,
  about: 'Time for which the response to a request with an Idempotency-Key is stored. A later retry is executed again.',
});

/** The transaction of the request is open while the response is built. */
const MAX_COST = fixedLimit({
  area: 'Writing',
  value: 5_000,
  error: 'QUERY_TOO_COMPLEX',
  about: 'Cost of an operation with an Idempotency-Key.',
});

/** Headers that are stored with a response. */
const STORED_HEADERS = ['content-type', 'content-language', 'cache-control', 'etag'];

/** Ends an attempt that did not claim the key. It is not sent: the response follows from what was found under the key. */
export class NotExecuted extends AppError {
  constructor() {
    super('IDEMPOTENCY_KEY_IN_USE');
  }
}

/** The context of a request, of which each attempt to execute it has a copy. */
export interface KeyedContext extends LimitedRequest, HtmlReader {
  readonly viewer: Viewer | null;
  readonly limits: Limits;
  readonly loaders: Loaders;
  readonly deferredHtml: DeferredHtml | null;
}

/** `stored`: the response of an earlier request. `running`: another process executes a request with this key. */
export type Outcome = { readonly stored: StoredResponse } | { readonly sent: StoredResponse | null } | 'running';

export interface Execution<Context> {
  /** Whether the client chooses what the response contains: content of other members too. */
  readonly showsOthers: boolean;
  /** Executes the request and sets its response. @returns null if it was not successful: its changes are rolled back */
  readonly respond: (context: Context) => Promise<Done | null>;
}

export interface Done {
  /** The member that the request has created. */
  readonly memberId: number | null;
}

/** Executes the request in one transaction with the key and the response, unless there is a response already. */
export async function execute<Context extends KeyedContext>(
  ctx: Koa.Context,
  context: Context,
  identity: RequestIdentity,
  { showsOthers, respond }: Execution<Context>,
): Promise<Outcome> {
  const { database, viewer, budget, limits } = context;
  let found: Outcome | null = null;
  const transaction = new RequestTransaction(database, async (db) => {
    if (budget.cost > MAX_COST) throw tooCostly(budget.cost);
    found = await claim(db, context, identity);
    if (found) throw new NotExecuted();
  });
  const writes = new IdempotentWriteLimiter(limits.writes);
  const draftWrites = new IdempotentWriteLimiter(limits.draftWrites);
  const shown = new OthersRows(viewer?.memberId ?? 0, showsOthers);
  const inTransaction = {
    ...context,
    database: transaction.database,
    loaders: new Loaders(transaction.database, shown),
    limits: { ...limits, writes, draftWrites },
    deferredHtml: deferredHtmlOf(identity),
  };
  let failure: unknown = null;
  let committed: StoredResponse | null = null;
  try {
    const done = await respond(inTransaction);
    if (done) {
      const response = capture(ctx, identity);
      const { status, headers, body } = response;
      await transaction.commit(async (db) => {
        const others = shown.rows();
        const stored = [identity.id, done.memberId, status, JSON.stringify(headers), body] as const;
        await db.query(STORE_RESPONSE, [...stored, others, readerOf(context)]);
      });
      committed = response;
    }
  } catch (error) {
    failure = error;
  }
  if (committed) {
    const sent = await completeResponse(context, identity, committed, inTransaction.deferredHtml);
    if (sent !== committed) ctx.body = sent.body;
    const bytes = Buffer.byteLength(sent.body ?? '');
    if (viewer)
      for (const limiter of [writes, draftWrites]) await limiter.countExcess(database, bytes, viewer.memberId);
    return { sent };
  }
  await transaction.rollBack();
  ctx.remove('ETag');
  if (found) return found;
  // An executed request can fail when it is repeated: a deleted article does not exist.
  const stored = await find(context, identity).catch(() => null);
  if (stored !== null && stored !== 'running') return stored;
  if (failure) throw failure;
  return { sent: null };
}

export type FindContext = Pick<KeyedContext, 'database' | 'viewer'>;

/** @returns null if the request has claimed the key */
async function claim(
  db: Transaction,
  context: Pick<FindContext, 'viewer'>,
  { id, fingerprint }: RequestIdentity,
): Promise<Outcome | null> {
  const memberId = context.viewer?.memberId ?? null;
  for (;;) {
    const values = [id, lockOf(id), memberId, fingerprint, KEY_LIFETIME_MS, readerOf(context)] as const;
    const [row] = await db.query(CLAIM_KEY, [...values]);
    if (row?.isClaimed) return null;
    if (row && row.status !== null) return { stored: row };
    if (!row?.isFree) return 'running';
  }
}

/** @returns null if nothing is stored, and no request with the key is running */
export async function find(context: FindContext, { id }: RequestIdentity): Promise<Outcome | null> {
  const [row] = await context.database.query(FIND_RESPONSE, [id, lockOf(id), KEY_LIFETIME_MS, readerOf(context)]);
  if (row && row.status !== null) return { stored: row };
  return row?.isFree ? null : 'running';
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
  return { fingerprint, status, headers, body: text, isRemoved: false };
}

function tooCostly(cost: number): AppError {
  const message = createMessage('keyedOperationTooCostly', MAX_COST, cost);
  return limitError('operation cost with a key', 'QUERY_TOO_COMPLEX', { message });
}

type Work<Result> = (db: Transaction) => Promise<Result>;

/**
 * One transaction for all changes of a request, which ends when the response is complete, so that the response can be stored in it.
 * It begins with the first change: what precedes it, such as hashing a password or reading an image, holds no connection. From then on, all
 * statements of `database` run in the transaction.
 */
class RequestTransaction {
  /** The database for the request. */
  readonly database: Database;
  #open: OpenTransaction | null = null;

  /** @param first runs first in the transaction; if it fails, so does the change */
  constructor(
    private readonly base: Database,
    private readonly first: Work<void>,
  ) {
    this.database = {
      ...base,
      query: (statement, values) => (this.#open?.db ?? base).query(statement, values),
      change: (statement, values) => this.#run((db) => db.query(statement, values)),
      transaction: (work, options) => this.#run(work, options),
    };
  }

  /** Commits after `last`. Without a change, the transaction consists of `first` and `last`. */
  async commit(last: Work<void>): Promise<void> {
    await this.#run(last);
    await this.#open?.commit();
    this.#open = null;
  }

  /** No effect if there is no transaction, or it has ended. */
  async rollBack(): Promise<void> {
    await this.#open?.rollBack();
    this.#open = null;
  }

  async #run<Result>(work: Work<Result>, options?: TransactionOptions): Promise<Result> {
    if (this.#open) return work(this.#open.db).catch(throwMapped);
    const { result, ...open } = await this.base.begin(async (db) => {
      await this.first(db);
      return work(db);
    }, options);
    this.#open = open;
    return result;
  }
}
