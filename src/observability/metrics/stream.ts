/** Connections over which the service tells of what happens as it happens. */
import { Gauge } from 'prom-client';
import { registry } from './registry.js';

/** Whoever opens a stream counts it up, and down again when it is over. `transport` is `sse` or `websocket`. */
export const openStreams = new Gauge({
  name: 'daybook_streams_open',
  help: 'Open streams of notifications, by transport.',
  labelNames: ['transport'] as const,
  registers: [registry],
});
