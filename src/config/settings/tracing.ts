/** Settings of tracing, with the names of the OpenTelemetry environment variables. */
import { headerList, oneOf, ratio, text, webUrl } from '../values.js';
import { group } from './group.js';

export const tracingSettings = group('Traces', {
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl({
    default: '',
    otherwise: 'none: nothing is traced',
    desc: 'an address such as http://localhost:4318',
    about: 'A collector that takes OTLP over HTTP. `/v1/traces` is put behind it.',
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headerList({
    default: '',
    otherwise: 'none',
    desc: 'names and values such as api-key=value, separated by commas, values percent-encoded',
    about: 'Go to the collector with each batch.',
    isSecret: true,
  }),
  OTEL_SERVICE_NAME: text({ default: 'daybook', desc: 'a name', about: 'What the traces say they are of.' }),
  OTEL_TRACES_SAMPLER: oneOf(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  )({
    default: 'parentbased_always_on',
    desc: 'one of always_on, always_off, traceidratio and the same with parentbased_ in front',
    about:
      'Which requests are traced. `parentbased_…` does what a `traceparent` header says, so that clients decide: have the proxy take that header away, or choose another one.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio({
    default: '1',
    desc: 'a number from 0 to 1',
    about: 'The share of requests that `traceidratio` traces.',
  }),
});
