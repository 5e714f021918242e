/** Tracing interface, independent of OpenTelemetry. Tracing is off by default: no spans are created and no packages are loaded. */

/** Named after OpenTelemetry's semantic conventions (`http.route`). Must not contain data that a client sent. */
export type Attributes = Record<string, string | number | boolean>;

export interface SpanDescription {
  readonly name: string;
  /** Span kind: `server` for incoming requests, `client` for outgoing ones, `internal` for other work. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes: Attributes;
}

export interface OpenSpan {
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** @param errorType `error.type`: an error class or code; undefined for success */
  end(errorType?: string): void;
}

/** Trace and span ids in hexadecimal, as in logs. */
export interface TraceIds {
  traceId: string;
  spanId: string;
}

export interface Tracer {
  /** Runs `work` in a span, the parent of spans opened within it. `work` must end the span. @param from parent trace */
  within<Result>(span: SpanDescription, work: (open: OpenSpan) => Result, from?: Carrier): Result;
  /** A span without children. */
  open(span: SpanDescription): OpenSpan;
  ids(): TraceIds | undefined;
}

/** Request headers, which may contain the client's trace context (W3C Trace Context). */
export type Carrier = Record<string, string | string[] | undefined>;

let tracer: Tracer | null = null;

/** @param next null: turns tracing off */
export function traceWith(next: Tracer | null): void {
  tracer = next;
}

/** Null where tracing is off. */
export function currentTracer(): Tracer | null {
  return tracer;
}

/**
 * Runs `work` in a new span, which ends with it. Without tracing, only runs `work`.
 * @param failureOf the `error.type` of a result that reports a failure without throwing
 */
export function inSpan<Result>(
  span: SpanDescription,
  work: (open?: OpenSpan) => Promise<Result>,
  failureOf: (result: Result) => string | undefined = () => undefined,
): Promise<Result> {
  if (!tracer) return work();
  return tracer.within(span, async (open) => {
    try {
      const result = await work(open);
      open.end(failureOf(result));
      return result;
    } catch (error) {
      open.end(errorTypeOf(error));
      throw error;
    }
  });
}

/** The code or class name of an error. The message is omitted, since it may quote text of a member. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? typeof error);
}
