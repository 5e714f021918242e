/** Liveness and readiness probes. */
import { withTimeout } from '../platform/concurrency/timeout.js';
import { describeError } from '../platform/database/mask-error.js';
import { databaseState } from '../platform/database/migrate.js';
import type { Handler } from '../platform/http/router.js';
import type { Services } from '../services/index.js';

const RETRY_AFTER_SECONDS = 5;
/** A probe that waits longer counts as failed for most proxies. */
const TIMEOUT_MS = 2_000;

/** 200 while the process runs. */
export const serveLiveness: Handler = (ctx) => {
  ctx.body = { status: 'ok' };
};

/** 200 if the database is reachable, migrated and writable, and the process is not stopping; otherwise 503. */
export function serveReadiness({ database, log, stopping }: Services): Handler {
  return async (ctx) => {
    const state = await withTimeout(databaseState(database), TIMEOUT_MS).catch((error) => {
      log.warn({ requestId: ctx.state.requestId, err: describeError(error) }, 'not ready');
      return undefined;
    });
    const isReady = state?.isMigrated === true && !state.isReadOnly && !stopping.aborted;
    ctx.status = isReady ? 200 : 503;
    if (!isReady) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
    const reachable = state?.isReadOnly ? 'read-only' : 'reachable';
    ctx.body = {
      status: isReady ? 'ok' : stopping.aborted ? 'stopping' : 'unavailable',
      database: state ? reachable : 'unreachable',
      migrations: state?.isMigrated ? 'done' : 'unknown or pending',
    };
  };
}
