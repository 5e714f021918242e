/** How tracing is set. */

export interface TracingSettings {
  /** Where batches are sent, `/v1/traces` included. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: string;
  /** Of requests without a parent; what `traceidratio` asks for. */
  ratio: number;
}

interface Environment {
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>;
  OTEL_SERVICE_NAME: string;
  OTEL_TRACES_SAMPLER: string;
  OTEL_TRACES_SAMPLER_ARG: number;
}

/** Null where nobody wants traces. */
export function readTracing(set: Environment): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = set;
  if (!endpoint) return null;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: set.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: set.OTEL_SERVICE_NAME,
    sampler: set.OTEL_TRACES_SAMPLER,
    ratio: set.OTEL_TRACES_SAMPLER_ARG,
  };
}
