/** Metric of open connections for live notifications. */
import { Gauge } from 'prom-client';
import { registry } from './registry.js';

/** Incremented when a stream is opened, decremented when it ends. `transport` is `sse` or `websocket`. */
export const openStreams = new Gauge({
  name: 'daybook_streams_open',
  help: 'Open notification streams, by transport.',
  labelNames: ['transport'] as const,
  registers: [registry],
});
