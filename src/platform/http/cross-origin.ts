/** Requests of web pages of other origins (CORS): allows configured origins, and logs the others. */
import cors from '@koa/cors';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';
import ms from 'ms';
import type { Config } from '../config/index.js';
import type { Log } from '../observability/log.js';
import { beginningOf } from '../text.js';

/** Origin of Apollo Sandbox when it is opened directly instead of embedded. */
const SANDBOX_ORIGIN = 'https://studio.apollographql.com';

/** Log lines about refused origins: a client can send any number of origins. */
const MAX_LINES_PER_HOUR = 20;

/** Sets the CORS headers for allowed origins. */
export function allowOrigins(config: Config): Koa.Middleware {
  const origins = allowedOrigins(config);
  return cors({
    origin: (ctx) => (origins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    exposeHeaders: ['ETag', 'Idempotency-Replayed', 'Retry-After', 'X-Request-Id'],
    maxAge: 86_400,
  });
}

/** Logs each refused origin once: the browser shows neither the origin nor the setting. */
export function reportRefusedOrigins(config: Config, log: Log): Koa.Middleware {
  const allowed = allowedOrigins(config).add(new URL(config.publicUrl).origin);
  const reported = new LRUCache<string, true>({ max: 1_000 });
  let lines = 0;
  let hourEndsMs = 0;
  return (ctx, next) => {
    const sent = ctx.req.headers.origin;
    if (sent !== undefined && !allowed.has(sent) && !isOwnPage(ctx, sent)) report(beginningOf(sent, 200));
    return next();
  };

  function report(origin: string): void {
    if (reported.has(origin)) return;
    const nowMs = performance.now();
    if (nowMs >= hourEndsMs) {
      lines = 0;
      hourEndsMs = nowMs + ms('1h');
    }
    if (lines === MAX_LINES_PER_HOUR) return;
    lines++;
    reported.set(origin, true);
    log.warn({ origin }, 'rejected a web page of another origin: add it to CORS_ORIGINS to allow it');
  }
}

function allowedOrigins({ corsOrigins, apolloSandbox }: Config): Set<string> {
  return new Set(apolloSandbox ? [SANDBOX_ORIGIN, ...corsOrigins] : corsOrigins);
}

/** Browsers send Origin with POST requests to the same origin and with forms too, to which CORS does not apply. */
function isOwnPage(ctx: Koa.Context, origin: string): boolean {
  if (ctx.get('Sec-Fetch-Site') === 'same-origin' || ctx.get('Sec-Fetch-Mode') === 'navigate') return true;
  return origin === `http://${ctx.host}` || origin === `https://${ctx.host}`;
}
