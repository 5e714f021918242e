/** Executes each request with an Idempotency-Key once: a retry receives the stored response (docs/decisions/idempotency.md). */
import { setTimeout as sleep } from 'node:timers/promises';
import type Koa from 'koa';
import type { StoredResponse } from '../../models/idempotency-key.js';
import { withTimeout } from '../../platform/concurrency/timeout.js';
import { fixedLimit } from '../../platform/config/fixed-limit.js';
import { AppError } from '../../platform/errors.js';
import { networkOf } from '../../platform/http/client-address.js';
import { readerOf } from '../auth/policy.js';
import { completeResponse, deferredHtmlOf } from './completion.js';
import {
  type Done,
  type Execution,
  execute,
  type FindContext,
  find,
  type KeyedContext,
  type Outcome,
} from './execution.js';
import { identify, type RequestIdentity } from './key.js';

const MAX_WAIT_MS = fixedLimit({
  area: 'Writing',
  value: 5_000,
  unit: 'ms',
  error: 'IDEMPOTENCY_KEY_IN_USE',
  about: 'Maximum time that a retry waits for the request with the same Idempotency-Key.',
});

/** Interval of looking for the response of a request that another process executes. */
const POLL_INTERVAL_MS = 100;

export interface KeyedRequest extends Pick<Execution<never>, 'showsOthers'> {
  readonly key: string;
  /** The operation and its input, as values of JSON and bytes of files. */
  readonly input: readonly unknown[];
}

export class IdempotencyKeys {
  /** Requests in progress in this process, each of one reader. It resolves to its response; null if nothing was stored. */
  readonly #running = new Map<string, Promise<StoredResponse | null>>();

  /** @param secret of the service, the same in all processes */
  constructor(private readonly secret: string) {}

  /**
   * Responds with the stored response, or executes the request.
   * @param respond executes the request and sets its response. @returns null if it was not successful: its changes are rolled back
   * @throws AppError IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, RESPONSE_REMOVED, and the errors of `respond`
   */
  async run<Context extends KeyedContext>(
    ctx: Koa.Context,
    context: Context,
    { key, input, showsOthers }: KeyedRequest,
    respond: (context: Context) => Promise<Done | null>,
  ): Promise<void> {
    const { viewer, client } = context;
    const scope = viewer ? `member ${viewer.memberId}` : `network ${networkOf(client.address)}`;
    const identity = await identify(this.secret, scope, key, input);
    // Another API token of the member, which may not see what the response shows, finds what is stored.
    const name = `${identity.id.toString('base64')} ${readerOf(context)}`;
    const deadline = performance.now() + MAX_WAIT_MS;
    while (performance.now() < deadline) {
      const running = this.#running.get(name);
      if (running) {
        const stored = await withTimeout(running, deadline - performance.now());
        if (stored) return replay(ctx, stored, identity);
        continue;
      }
      const outcome = await this.#exclusively(name, async () => {
        const attempt = await execute(ctx, context, identity, { showsOthers, respond });
        const found = attempt === 'running' ? await waitForStored(context, identity, deadline) : attempt;
        if (found === 'running' || !('stored' in found)) return found;
        return { stored: await completeResponse(context, identity, found.stored, deferredHtmlOf(identity)) };
      });
      if (outcome === 'running') continue;
      if ('stored' in outcome) replay(ctx, outcome.stored, identity);
      return;
    }
    throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
  }

  /** Other requests of this process with the same key and reader wait meanwhile. */
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

/** @throws AppError IDEMPOTENCY_KEY_REUSED, RESPONSE_REMOVED */
function replay(ctx: Koa.Context, stored: StoredResponse, { fingerprint }: RequestIdentity): void {
  if (!stored.fingerprint.equals(fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  if (stored.isRemoved) throw new AppError('RESPONSE_REMOVED');
  ctx.body = stored.body;
  ctx.status = stored.status;
  ctx.set(stored.headers);
  ctx.set('Idempotency-Replayed', 'true');
}

/** Waits for the response of another process. @returns `running` also if it has failed: the request can then be executed */
async function waitForStored(context: FindContext, identity: RequestIdentity, deadline: number): Promise<Outcome> {
  for (;;) {
    const found = await find(context, identity);
    if (found !== 'running') return found ?? 'running';
    if (performance.now() + POLL_INTERVAL_MS > deadline) return 'running';
    await sleep(POLL_INTERVAL_MS);
  }
}
