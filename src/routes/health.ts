/** Liveness and readiness probes. */
import type Koa from 'koa';
import { isMigrated } from '../database/migrate.js';
import { type RequestState, requireReadMethod } from '../http/request.js';
import type { Services } from '../services.js';

const RETRY_AFTER_SECONDS = 5;

/** `/healthz`: 200 while the process runs. `/readyz`: 200 if the database is reachable and migrated, otherwise 503. */
export function healthRoutes({ database, log }: Services): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next();
    ctx.state.route = ctx.path;
    requireReadMethod(ctx);
    ctx.set('Cache-Control', 'no-store');
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' };
      return;
    }
    const checks = await check(() => isMigrated(database.sequelize));
    if ('error' in checks) log.warn({ requestId: ctx.state.requestId, err: checks.error }, 'not ready');
    ctx.status = checks.migrations ? 200 : 503;
    if (!checks.migrations) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
    ctx.body = {
      status: checks.migrations ? 'ok' : 'unavailable',
      database: checks.database ? 'reachable' : 'unreachable',
      migrations: checks.migrations ? 'done' : 'unknown or pending',
    };
  };
}

async function check(isDone: () => Promise<boolean>) {
  try {
    return { database: true, migrations: await isDone() };
  } catch (error) {
    return { database: false, migrations: false, error: (error as Error).name };
  }
}
