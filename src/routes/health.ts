/** Liveness and readiness probes. */
import { isMigrated } from '../database/migrate.js';
import type { Handler } from '../http/router.js';
import type { Services } from '../services.js';

const RETRY_AFTER_SECONDS = 5;

/** 200 while the process runs. */
export const serveLiveness: Handler = (ctx) => {
  ctx.body = { status: 'ok' };
};

/** 200 if the database is reachable and migrated, otherwise 503. */
export function serveReadiness({ database, log }: Services): Handler {
  return async (ctx) => {
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
