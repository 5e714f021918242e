/** `/metrics`: the metrics for Prometheus, with access control. */
import { BlockList, isIPv6 } from 'node:net';
import { isLoopback } from '../platform/config/addresses.js';
import type { Config } from '../platform/config/index.js';
import { AppError } from '../platform/errors.js';
import type { Handler, RouteContext } from '../platform/http/router.js';
import { createMessage } from '../platform/messages/message.js';
import { readMetrics } from '../platform/observability/metrics/cluster.js';
import { registry, watchProcess } from '../platform/observability/metrics/registry.js';
import { isSameSecret } from '../platform/text.js';

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

export function serveMetrics(config: MetricsConfig): Handler {
  const { metricsToken } = config;
  const isOff = isMetricsOff(config);
  watchProcess();
  return async (ctx) => {
    if (isOff) throw new AppError('ROUTE_NOT_FOUND', { message: createMessage('metricsOff') });
    if (metricsToken !== null && !isSameSecret(ctx.get('Authorization'), `Bearer ${metricsToken}`)) {
      throw new AppError('UNAUTHENTICATED', { message: createMessage('metricsTokenRequired') });
    }
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await readMetrics();
  };
}

/** Whether the route exists for this client: without a configured token it is concealed from all but local clients. */
export function hasMetrics({ metricsToken }: MetricsConfig): (ctx: RouteContext) => boolean {
  return (ctx) => metricsToken !== null || isLocal(ctx);
}

function isLocal(ctx: RouteContext): boolean {
  const address = ctx.req.socket.remoteAddress ?? '';
  const isThisMachine = loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  return isThisMachine && isLoopback(ctx.hostname) && FORWARDING.every((name) => ctx.get(name) === '');
}
