/** The OpenTelemetry tracer: spans are sent in batches over OTLP. Loaded only where an endpoint is set. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { TracingSettings } from '../../config/settings/observability.js';
import { VERSION } from '../../version.js';
import type { Log } from '../log.js';
import { continueTrace } from './parent.js';
import { samplerOf } from './sampler.js';
import { errorTypeOf, type OpenSpan, type SpanDescription, type Tracer } from './span.js';

/** Export timeout of one batch in milliseconds. */
const EXPORT_TIMEOUT = 5_000;
/** Minimum interval in milliseconds between two log lines about failed exports. */
const COMPLAINT_INTERVAL = 60_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

interface SendingTracer extends Tracer {
  flush(): Promise<void>;
}

export function openTracer(settings: TracingSettings, log: Log): SendingTracer {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': VERSION }),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor(openExporter(settings, log))],
  });
  const tracer = provider.getTracer('daybook', VERSION);
  const active = new AsyncLocalStorage<Context>();
  const start = ({ name, kind, attributes }: SpanDescription, parent = active.getStore() ?? ROOT_CONTEXT) => ({
    span: tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent),
    parent,
  });
  return {
    within: (description, work, from) => {
      const { span, parent } = start(description, from && continueTrace(from));
      return active.run(trace.setSpan(parent, span), () => work(opened(span)));
    },
    open: (description) => opened(start(description).span),
    ids: () => {
      const span = trace.getSpanContext(active.getStore() ?? ROOT_CONTEXT);
      return span && { traceId: span.traceId, spanId: span.spanId };
    },
    flush: () => provider.shutdown(),
  };
}

function opened(span: Span): OpenSpan {
  return {
    set: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    end: (errorType) => {
      if (errorType !== undefined) span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** While the collector is unavailable, spans are lost and one warning a minute is logged; requests are not affected. */
function openExporter({ url, headers }: TracingSettings, log: Log): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT });
  let complained = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - complained > COMPLAINT_INTERVAL) {
          complained = performance.now();
          log.warn({ err: errorTypeOf(result.error), spans: spans.length }, 'trace export failed');
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
