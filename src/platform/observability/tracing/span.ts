/** Spans of the OpenTelemetry API. They are not created unless `startTracing` has registered the SDK. */
import {
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { VERSION } from '../../version.js';

/** Trace and span ids in hexadecimal, as in logs. */
export type TraceIds = Pick<SpanContext, 'traceId' | 'spanId'>;

/** The spans of the API without the SDK do nothing either, but each takes a microsecond. */
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
let isTracing = false;

export function setTracing(isOn: boolean): void {
  isTracing = isOn;
}

export function isTracingOn(): boolean {
  return isTracing;
}

/** Not stored by callers: a stored tracer stays with the SDK that was registered at its first span, also after that has stopped. */
export function tracer(): Tracer {
  return trace.getTracer('daybook', VERSION);
}

/**
 * Runs `work` in a new span, which ends with it.
 * @param options attributes must not contain data that a client sent
 * @param failureOf the `error.type` of a result that reports a failure without throwing
 */
export function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
  failureOf: (result: Result) => string | undefined = () => undefined,
): Promise<Result> {
  if (!isTracing) return work(NO_SPAN);
  return tracer().startActiveSpan(name, options, async (span) => {
    try {
      const result = await work(span);
      endSpan(span, failureOf(result));
      return result;
    } catch (error) {
      endSpan(span, errorTypeOf(error));
      throw error;
    }
  });
}

export function startSpan(name: string, options: SpanOptions): Span {
  return isTracing ? tracer().startSpan(name, options) : NO_SPAN;
}

/** @param errorType `error.type`: an error class or code; undefined for success */
export function endSpan(span: Span, errorType?: string): void {
  if (errorType !== undefined) span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Of the active span; undefined where tracing is off. */
export function traceIds(): TraceIds | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active && { traceId: active.traceId, spanId: active.spanId };
}

/** The code or class name of an error. The message is omitted, since it may quote text of a member. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? typeof error);
}
