/** `/metrics`: what this process has counted, for Prometheus, and for nobody who should not see it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type Koa from 'koa';
import type { Config } from '../config/index.js';
import { isLoopback } from '../config/loopback.js';
import { AppError, nothingAt } from '../errors.js';
import { type RequestState, requireReading } from '../http/request.js';
import { registry, watchProcess } from '../observability/metrics/registry.js';

export const METRICS_PATH = '/metrics';

/** Where any of these is, somebody else asked a proxy on this machine. */
const FORWARDING = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

type MetricsConfig = Pick<Config, 'metricsToken' | 'publicUrl'>;

/**
 * Without a token, `/metrics` is for this machine alone. Where PUBLIC_URL is not local there may be a proxy in front that forwards
 * requests without a header that shows it, so that `/metrics` is off.
 */
export function isMetricsOff({ metricsToken, publicUrl }: MetricsConfig): boolean {
  return metricsToken === null && !isLoopback(new URL(publicUrl).hostname);
}

export function serveMetrics(config: MetricsConfig): Koa.Middleware<RequestState> {
  watchProcess();
  return async (ctx, next) => {
    if (ctx.path !== METRICS_PATH) return next();
    ctx.state.route = METRICS_PATH;
    requireAllowed(ctx, config);
    requireReading(ctx);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  };
}

/** @throws AppError UNAUTHENTICATED; without a token ROUTE_NOT_FOUND, as if there were nothing here */
function requireAllowed(ctx: Koa.ParameterizedContext<RequestState>, config: MetricsConfig): void {
  const token = config.metricsToken;
  if (token === null) {
    if (!isMetricsOff(config) && isLocal(ctx)) return;
    throw nothingAt(ctx.path);
  }
  if (!isSame(ctx.get('Authorization'), `Bearer ${token}`)) throw new AppError('UNAUTHENTICATED');
}

function isLocal(ctx: Koa.ParameterizedContext<RequestState>): boolean {
  const address = ctx.req.socket.remoteAddress ?? '';
  const isThisMachine = loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  return isThisMachine && isLoopback(ctx.hostname) && FORWARDING.every((name) => ctx.get(name) === '');
}

/** In a time that does not tell how much of it was right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
