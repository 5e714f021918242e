/** The HTTP server of Node with the limits that it enforces itself. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Config } from '../config/index.js';
import { fixedLimit } from '../config/limit.js';
import { CoalescingRequest } from './coalescing-request.js';

const MAX_HEADER_BYTES = fixedLimit({
  area: 'HTTP',
  error: 'HEADERS_TOO_LARGE',
  value: 16 * 1024,
  unit: 'bytes',
  about: 'The request line and the headers of a request.',
});

export const KEEP_ALIVE_MS = fixedLimit({
  area: 'HTTP',
  error: null,
  value: 5_000,
  unit: 'ms',
  about: 'Time for which a connection stays open between two requests.',
});

/** Received in advance for each connection: Node's default before version 22, since tiny chunks multiply the memory for it. */
const BUFFER_BYTES = 16 * 1024;
/** Milliseconds between two checks for requests that are late. */
const CHECK_MS = 500;
/** A body that is being read has its own time limit, and a better error. This one is for bodies that are not. */
const MARGIN_MS = 5_000;

export function createHttpServer(limits: Config['http'], listener?: RequestListener): Server {
  const options = {
    IncomingMessage: CoalescingRequest,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs + MARGIN_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    highWaterMark: BUFFER_BYTES,
    // The guard checks it, and answers in the envelope.
    requireHostHeader: false,
  };
  const server = createServer(options, listener);
  server.maxConnections = limits.maxConnections;
  return server;
}
