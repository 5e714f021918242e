/** Creates the Node HTTP server with the limits that Node enforces itself. */
import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Config } from '../config/index.js';
import { CoalescingRequest } from './coalescing-request.js';

export const MAX_HEADER_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'HEADERS_TOO_LARGE',
  value: 16 * 1024,
  unit: 'bytes',
  about: 'Request line and headers of a request.',
});

/** Node accepts one in each turn of its event loop. */
export const MAX_NEW_CONNECTIONS = fixedLimit({
  area: 'HTTP',
  about:
    'Connections that wait to be accepted; the system may have a lower limit. Of more, clients send their requests again, with growing pauses.',
  value: 4_096,
  error: null,
});

export const KEEP_ALIVE_MS = fixedLimit({
  area: 'HTTP',
  error: null,
  value: 5_000,
  unit: 'ms',
  about:
    'Keep-alive timeout: time for which a connection stays open between two requests, as the header Keep-Alive says.',
});

/** Time after the keep-alive timeout in which a request that is on its way is still served. */
export const KEEP_ALIVE_MARGIN_MS = 3_000;

/** highWaterMark of each connection: Node's default before version 22, since tiny chunks multiply the memory for buffered bytes. */
const BUFFER_BYTES = 16 * 1024;
/** Interval in milliseconds of the check for request timeouts. */
const CHECK_MS = 500;
/** Added to requestTimeout, which is for bodies that are not read. Those that are read have their own timeout, with a better error. */
const MARGIN_MS = 5_000;

export function createHttpServer(limits: Config['http']): Server {
  const options = {
    IncomingMessage: CoalescingRequest,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs + MARGIN_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    highWaterMark: BUFFER_BYTES,
    // `guardServer` checks it, and responds in the error envelope.
    requireHostHeader: false,
  };
  const server = createServer(options);
  // node:cluster offers a connection that a full worker rejects to the next one, endlessly: `guardServer` limits those of workers.
  if (!cluster.isWorker) server.maxConnections = limits.maxConnections;
  return server;
}
