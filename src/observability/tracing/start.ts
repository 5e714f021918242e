/** Starts tracing where an OTLP endpoint is configured. The OpenTelemetry packages are loaded only then. */

import type { TracingSettings } from '../../config/settings/observability.js';
import type { Log } from '../log.js';
import { traceWith } from './span.js';

export interface Tracing {
  /** Flushes pending spans, for at most `GRACE` milliseconds. */
  stop(): Promise<void>;
}

/** Maximum time in milliseconds that shutdown waits for the collector. */
const GRACE = 1_500;

export async function startTracing(settings: TracingSettings | null, log: Log): Promise<Tracing> {
  if (!settings) return { stop: async () => {} };
  const { openTracer } = await import('./otel.js');
  const tracer = openTracer(settings, log);
  traceWith(tracer);
  return {
    stop: async () => {
      traceWith(null);
      await withinGrace(tracer.flush());
    },
  };
}

async function withinGrace(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GRACE);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
