/** Server span of a request, the parent of its other spans. */
import { propagation, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type Koa from 'koa';
import { endSpan, isTracingOn, traceIds, tracer } from '../observability/tracing/span.js';
import type { RequestState } from './request.js';

/**
 * Continues the trace in the `traceparent` header; `tracestate` and `baggage` are ignored. Spans contain the method and the
 * route pattern, but neither the URL nor other data of the client.
 */
export function traceRequests(): Koa.Middleware<RequestState> {
  return (ctx, next) => {
    if (!isTracingOn()) return next();
    const { method } = ctx;
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent: ctx.headers.traceparent });
    const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } };
    return tracer().startActiveSpan(method, options, parent, (span) => {
      ctx.state.trace = traceIds();
      if (!span.isRecording()) return next();
      ctx.res.once('close', () => {
        const { route } = ctx.state;
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', ctx.status);
        endSpan(span, ctx.status >= 500 ? String(ctx.status) : undefined);
      });
      return next();
    });
  };
}
