/** `/metrics`: the metrics of this process for Prometheus, with access control. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import type Koa from 'koa';
import { isLoopback } from '../config/addresses.js';
import type { Config } from '../config/index.js';
import { AppError, routeNotFound } from '../errors.js';
import { type RequestState, requireReadMethod } from '../http/request.js';
import { registry, watchProcess } from '../observability/metrics/registry.js';

const METRICS_PATH = '/metrics';

/** If one of these headers is present, a proxy on this machine forwarded the request of another client. */
const FORWARDING = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP', 'Forwarded', 'Via'];

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

type MetricsConfig = Pick<Config, 'metricsToken' | 'publicUrl'>;

/**
 * Without a token, `/metrics` is available to local clients only. If PUBLIC_URL is not local, a reverse proxy may forward
 * requests without a forwarding header, so `/metrics` is off.
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
    requireReadMethod(ctx);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  };
}

/** @throws AppError UNAUTHENTICATED; without a configured token ROUTE_NOT_FOUND, to conceal the route */
function requireAllowed(ctx: Koa.ParameterizedContext<RequestState>, config: MetricsConfig): void {
  const token = config.metricsToken;
  if (token === null) {
    if (!isMetricsOff(config) && isLocal(ctx)) return;
    throw routeNotFound(ctx.path);
  }
  if (!isSame(ctx.get('Authorization'), `Bearer ${token}`)) throw new AppError('UNAUTHENTICATED');
}

function isLocal(ctx: Koa.ParameterizedContext<RequestState>): boolean {
  const address = ctx.req.socket.remoteAddress ?? '';
  const isThisMachine = loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  return isThisMachine && isLoopback(ctx.hostname) && FORWARDING.every((name) => ctx.get(name) === '');
}

/** Constant-time comparison, against timing attacks. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
