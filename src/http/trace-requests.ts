/** The span of a request, in which all others of it are. */
import type Koa from 'koa';
import { currentTracer } from '../observability/tracing/span.js';
import type { RequestState } from './request.js';

/** Neither the address nor anything else that a client sent is told: the route's pattern says what was asked for. */
export function traceRequests(): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    const tracer = currentTracer();
    if (!tracer) return next();
    const method = ctx.method;
    const span = { name: method, kind: 'server' as const, attributes: { 'http.request.method': method } };
    return tracer.within(
      span,
      (open) => {
        ctx.state.trace = tracer.ids();
        ctx.res.once('close', () => {
          const { route } = ctx.state;
          if (route !== undefined) {
            open.rename(`${method} ${route}`);
            open.set({ 'http.route': route });
          }
          open.set({ 'http.response.status_code': ctx.status });
          open.end(ctx.status >= 500 ? String(ctx.status) : undefined);
        });
        return next();
      },
      ctx.headers,
    );
  };
}
