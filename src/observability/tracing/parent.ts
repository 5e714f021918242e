/** The parent trace of a request, from its `traceparent` header (W3C Trace Context; `tracestate` is ignored). */
import { type Context, isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Carrier } from './span.js';

/** Version, trace id, parent id, flags (§3.2.2). Later versions may append fields. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** An invalid header is ignored (§3.3). */
export function continueTrace({ traceparent }: Carrier): Context {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(String(traceparent ?? '')) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
