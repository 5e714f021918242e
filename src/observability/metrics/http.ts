/** Metrics of HTTP connections in this process: their number and their buffered bytes. */
import { Gauge } from 'prom-client';
import { registry } from './registry.js';

export const openConnections = new Gauge({
  name: 'daybook_http_connections',
  help: 'Open client connections, including WebSockets.',
  registers: [registry],
});

/** `kind` is `request` for bodies that are received or processed, `response` for data that clients have not read yet. */
export const bufferedBytes = new Gauge({
  name: 'daybook_http_buffered_bytes',
  help: 'Memory used by request bodies (kind `request`) and by responses that clients have not read yet (`response`).',
  labelNames: ['kind'] as const,
  registers: [registry],
});
