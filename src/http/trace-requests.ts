/** Server span of a request, the parent of its other spans. */
import type Koa from 'koa';
import { currentTracer } from '../observability/tracing/span.js';
import type { RequestState } from './request.js';

/** Spans contain the method and the route pattern, but neither the URL nor other data of the client. */
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
