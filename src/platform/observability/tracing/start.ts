/** Registers the OpenTelemetry SDK if an OTLP endpoint is configured, and loads its packages only then. */
import { context, propagation, trace } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import ms from 'ms';
import { withTimeout } from '../../concurrency/timeout.js';
import type { TracingSettings } from '../../config/settings/observability.js';
import { lookupName } from '../../name-lookup.js';
import { importOptional } from '../../optional-package.js';
import { VERSION } from '../../version.js';
import type { Log } from '../log.js';
import { errorTypeOf, setTracing } from './span.js';

/** Maximum time that shutdown waits for the collector. */
const SHUTDOWN_TIMEOUT_MS = 1_500;
/** Timeout of the export of one batch. */
const EXPORT_TIMEOUT_MS = 5_000;
/** Minimum interval between two log lines about failed exports. */
const WARNING_INTERVAL_MS = ms('1m');

/** @returns stops tracing and sends the pending spans, within `SHUTDOWN_TIMEOUT_MS` */
export async function startTracing(settings: TracingSettings | null, log: Log): Promise<() => Promise<void>> {
  if (!settings) return async () => {};
  const { BatchSpanProcessor, NodeTracerProvider } = await importOptional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    () => import('@opentelemetry/sdk-trace-node'),
  );
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  // The sampler is the one that the SDK creates from OTEL_TRACES_SAMPLER.
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': VERSION }),
    spanProcessors: [new BatchSpanProcessor(await createExporter(settings, log))],
  });
  provider.register();
  setTracing(true);
  return async () => {
    setTracing(false);
    for (const api of [trace, context, propagation]) api.disable();
    await withTimeout(
      provider.shutdown().catch(() => {}),
      SHUTDOWN_TIMEOUT_MS,
    );
  };
}

/** While the collector is unavailable, spans are lost and one warning a minute is logged; requests are not affected. */
async function createExporter({ url, headers }: TracingSettings, log: Log): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter = new OTLPTraceExporter({
    ...{ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS },
    httpAgentOptions: { lookup: lookupName },
  });
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - warnedAt > WARNING_INTERVAL_MS) {
          warnedAt = performance.now();
          log.warn({ err: errorTypeOf(result.error), spans: spans.length }, 'trace export failed');
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
