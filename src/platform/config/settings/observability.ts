/** Settings of logs, metrics and tracing, the latter with the names of the OpenTelemetry environment variables. */
import { group, headerList, oneOf, ratio, secret, text, webUrl } from '../setting.js';

export const observationSettings = group('Logs and metrics', {
  LOG_LEVEL: oneOf({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    expected: 'one of fatal, error, warn, info, debug, trace, silent',
    description: '`info` writes one JSON line per request, without personal data.',
  }),
  METRICS_TOKEN: secret({
    default: '',
    effectiveDefault: 'none: `/metrics` is disabled, or limited to loopback clients where `PUBLIC_URL` is local',
    description: 'Bearer token required from scrapers of `/metrics`.',
    isSecret: true,
  }),
});

export const tracingSettings = group('Tracing', {
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl({
    default: '',
    effectiveDefault: 'none: tracing is disabled',
    expected: 'a URL such as http://localhost:4318',
    description: 'URL of an OTLP/HTTP collector. `/v1/traces` is appended.',
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headerList({
    default: '',
    effectiveDefault: 'none',
    expected: 'names and values such as api-key=value, separated by commas, values percent-encoded',
    description: 'Headers sent to the collector with each batch.',
    isSecret: true,
  }),
  OTEL_SERVICE_NAME: text({ default: 'daybook', expected: 'a name', description: 'Service name in the traces.' }),
  OTEL_TRACES_SAMPLER: oneOf({
    choices: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    default: 'parentbased_always_on',
    expected: 'one of always_on, always_off, traceidratio and the same with parentbased_ in front',
    description:
      'Sampler of traces. `parentbased_…` follows the `traceparent` header of the request, so that clients decide: remove this header in the proxy, or choose another sampler.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio({
    default: '1',
    description: 'Fraction of requests that `traceidratio` samples.',
  }),
});

/** The SDK reads the sampler settings from the environment itself. */
export interface TracingSettings {
  /** URL of the OTLP endpoint, including `/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
}

interface Environment {
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>;
  OTEL_SERVICE_NAME: string;
}

/** Null where no endpoint is set: tracing is off. */
export function readTracing(set: Environment): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = set;
  if (!endpoint) return null;
  return {
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: set.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: set.OTEL_SERVICE_NAME,
  };
}
