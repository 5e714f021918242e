/** Where time goes, told span by span to whoever traces. Nobody does by default, and then nothing is loaded and nothing made. */

/** `http.route` and the like, as OpenTelemetry's semantic conventions name them. Never what a client sent. */
export type Attributes = Record<string, string | number | boolean>;

export interface SpanDescription {
  readonly name: string;
  /** `server`: asked by someone; `client`: asks someone; `internal`: neither. */
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes: Attributes;
}

export interface OpenSpan {
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** @param errorType what went wrong, in one word: a class or a code */
  end(errorType?: string): void;
}

/** Ids as they are written in logs: hexadecimal. */
export interface TraceIds {
  traceId: string;
  spanId: string;
}

export interface Tracer {
  /** A span that others open within `work` are children of. `work` has to end it. */
  within<Result>(span: SpanDescription, work: (open: OpenSpan) => Result, from?: Carrier): Result;
  /** A span without children. */
  open(span: SpanDescription): OpenSpan;
  ids(): TraceIds | undefined;
}

/** Headers of a request, which may continue a trace of the client's (W3C Trace Context). */
export type Carrier = Record<string, string | string[] | undefined>;

let tracer: Tracer | null = null;

/** @param next null: nobody traces any more */
export function traceWith(next: Tracer | null): void {
  tracer = next;
}

/** Null where nobody traces. */
export function currentTracer(): Tracer | null {
  return tracer;
}

/**
 * Runs `work` in a span of its own, which ends when it does.
 * @param failureOf says in one word what went wrong, where `work` tells that in its result
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

/** Without its message, which may quote what a member wrote. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? typeof error);
}
