/** The trace that a request belongs to, where it says so: W3C Trace Context, `traceparent` alone. */
import { type Context, isSpanContextValid, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Carrier } from './span.js';

/** Version, trace id, parent id, flags (§3.2.2). Later versions may have more behind. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** What cannot be read counts as if it were not there (§3.3). */
export function continueTrace({ traceparent }: Carrier): Context {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(String(traceparent ?? '')) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
