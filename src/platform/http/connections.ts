/** Connection limits of a server: their number, errors before a request is parsed, and clients that do not read responses. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fixedLimit } from '../config/fixed-limit.js';
import type { Config } from '../config/index.js';
import { type ErrorKey } from '../error-keys.js';
import { AppError } from '../errors.js';
import { createMessage, type Message } from '../messages/message.js';
import { limitError, reachedLimits } from '../observability/metrics/error.js';
import { bufferedBytes, openConnections } from '../observability/metrics/saturation.js';
import { inspectValue } from '../text.js';
import { isProxy, networkOf, peerAddress } from './client-address.js';
import { errorResponse, pathIn, sendError } from './error-response.js';
import { closeLingering, hasLingeredEnough } from './lingering-close.js';
import { KEEP_ALIVE_MARGIN_MS, MAX_HEADER_BYTES } from './server.js';
import { encodeUrl, type ParserError, RequestStream, SecondParser } from './unencoded-url.js';
import { mostUnread, UnreadBytes } from './unread-bytes.js';

const MAX_PIPELINED = fixedLimit({
  area: 'HTTP',
  error: 'RATE_LIMITED',
  value: 4,
  about: 'Requests in progress on one connection (HTTP pipelining).',
});

const MAX_HEADERS = fixedLimit({
  area: 'HTTP',
  error: 'HEADERS_TOO_LARGE',
  value: 100,
  about: 'Headers of a request.',
});

interface Connection {
  readonly network: string;
  /** Unfinished responses in request order; only the first one is being sent. */
  readonly responses: Set<ServerResponse>;
  readonly unreadBytes: UnreadBytes;
  /** Time at which the last response was finished or the connection was added, in milliseconds since 1970. */
  idleSince: number;
  /** `bytesRead` of the socket when the server started to close the connection; null before. */
  closingFrom: number | null;
  /** Serialized error response, sent after the responses in progress; null if there is none. */
  failure: string | null;
  /** The response that closes the connection, while the server drains; null if there is none. */
  last: ServerResponse | null;
  /** True for a WebSocket, which has its own limits. */
  isUpgraded: boolean;
}

/**
 * Passes the requests of the server to the listener, unless their connection exceeds a limit.
 * @param isExempt whether the number of connections from this peer address is unlimited
 * @returns `drain`: from then on each connection is closed by its next response, or by the keep-alive timeout
 */
export function guardServer(
  server: Server,
  { http, trustProxy }: Pick<Config, 'http' | 'trustProxy'>,
  listener: RequestListener,
  isExempt = (address: string) => isProxy(address, trustProxy),
): () => void {
  const guard = new ConnectionGuard(http, isExempt, listener);
  const receive: RequestListener = (request, response) => guard.receive(request, response);
  server.on('connection', (socket) => guard.open(socket));
  server.on('request', receive);
  // 100 Continue is sent when the body is about to be read; other expectations may be ignored (RFC 9110 §10.1.1).
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  server.on('upgrade', ({ socket }) => guard.upgrade(socket));
  server.on('clientError', (error: ParserError, socket) => guard.fail(error, socket as Socket));
  server.on('timeout', closeAfterMargin);
  server.on('drop', () => reachedLimits.inc({ counted: 'connections' }));
  const check = () => guard.sweep(performance.now(), server.keepAliveTimeout);
  const sweep = setInterval(check, Math.min(1_000, http.writeTimeoutMs / 4)).unref();
  server.once('close', () => {
    clearInterval(sweep);
    check();
  });
  return () => guard.drain();
}

class ConnectionGuard {
  readonly #limits: Config['http'];
  readonly #isExempt: (address: string) => boolean;
  readonly #listener: RequestListener;
  /** Of requests whose URL was not percent-encoded. */
  readonly #parser = new SecondParser(
    MAX_HEADER_BYTES,
    (request, response) => this.receive(request, response),
    (error, socket) => this.fail(error, socket),
  );
  readonly #connections = new Map<Socket, Connection>();
  /** Number of connections by network, without exempt peers. */
  readonly #networks = new Map<string, number>();
  #unreadBytes = 0;
  #isDraining = false;

  constructor(limits: Config['http'], isExempt: (address: string) => boolean, listener: RequestListener) {
    this.#limits = limits;
    this.#isExempt = isExempt;
    this.#listener = listener;
  }

  open(socket: Socket): void {
    const existing = this.#connections.get(socket);
    if (existing) {
      // The requested protocol upgrade was ignored: the connection continues with HTTP.
      existing.isUpgraded = false;
      return;
    }
    const { maxConnectionsPerNetwork, maxConnections } = this.#limits;
    if (this.#connections.size >= maxConnections) {
      reachedLimits.inc({ counted: 'connections' });
      socket.destroy();
      return;
    }
    const connection = this.#add(socket);
    if ((this.#networks.get(connection.network) ?? 0) <= maxConnectionsPerNetwork) return;
    const details = { message: createMessage('tooManyConnections', maxConnectionsPerNetwork), retryAfter: 5 };
    const error = limitError('connections of a network', 'RATE_LIMITED', details);
    this.#close(socket, connection, errorResponse('', error));
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const given: Duplex = request.socket;
    const isEncoded = given instanceof RequestStream;
    const socket = isEncoded ? given.socket : request.socket;
    const connection = this.#of(socket);
    if (connection.closingFrom !== null || !socket.writable) return;
    connection.responses.add(response);
    if (isEncoded) connection.closingFrom = socket.bytesRead;
    if (this.#isDraining) closeAfterLast(connection);
    response.once('close', () => this.#finish(socket, connection, response));
    const error = this.#errorOf(request, connection);
    if (!error) {
      this.#listener(request, response);
      return;
    }
    connection.closingFrom = socket.bytesRead;
    sendError(response, request.url ?? '', error);
  }

  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#connections.values()) closeAfterLast(connection);
  }

  upgrade(socket: Socket): void {
    this.#of(socket).isUpgraded = true;
  }

  /** Handles `clientError`: a parser error, a request timeout, or a connection error. */
  fail(cause: ParserError, socket: Socket): void {
    const connection = this.#of(socket);
    if (connection.closingFrom !== null) {
      if (hasLingeredEnough(socket, connection.closingFrom)) socket.pause();
      return;
    }
    const pending = [...connection.responses];
    let error = errorOf(cause);
    try {
      const request = pending.length === 0 ? encodeUrl(cause) : null;
      if (request) {
        this.#parser.parse(request, socket);
        return;
      }
    } catch (invalidUrl) {
      error = invalidUrl as AppError;
    }
    const last = pending.at(-1);
    // The response to the failed request, if its headers were received.
    const failed = last && !last.req.complete ? last : undefined;
    if (!error || !socket.writable || (failed && (failed.headersSent || pending.length > 1))) {
      socket.destroy();
      return;
    }
    const text = errorResponse(failed ? (failed.req.url ?? '') : pathIn(cause.rawPacket), error);
    if (failed || pending.length === 0) this.#close(socket, connection, text);
    else connection.failure = text;
  }

  /** Closes connections with unread responses (too long, or too many bytes in total), and idle ones whose clients still send bytes. */
  sweep(now: number, keepAliveMs: number): void {
    const { writeTimeoutMs, headersTimeoutMs, responseMemoryBytes } = this.#limits;
    const maxIdleMs = keepAliveMs + KEEP_ALIVE_MARGIN_MS + headersTimeoutMs + 1_000;
    const unread = [];
    let total = 0;
    for (const [socket, connection] of this.#connections) {
      if (connection.isUpgraded) continue;
      const { network, responses, unreadBytes } = connection;
      const bytes = unreadBytes.observe(socket, responses, now);
      if (unreadBytes.stalledMs(now) > writeTimeoutMs) {
        reachedLimits.inc({ counted: 'time for reading a response' });
        socket.destroy();
      } else if (bytes > 0) {
        total += bytes;
        unread.push({ socket, network, bytes });
      } else if (responses.size === 0 && now - connection.idleSince > maxIdleMs) {
        socket.destroy();
      }
    }
    bufferedBytes.inc({ kind: 'response' }, total - this.#unreadBytes);
    this.#unreadBytes = total;
    if (total <= responseMemoryBytes) return;
    for (const { socket } of mostUnread(unread, total - responseMemoryBytes)) {
      reachedLimits.inc({ counted: 'unread responses' });
      socket.destroy();
    }
  }

  /** Connections may have been opened before the guard was attached. */
  #of(socket: Socket): Connection {
    return this.#connections.get(socket) ?? this.#add(socket);
  }

  #add(socket: Socket): Connection {
    const address = peerAddress(socket);
    const connection: Connection = {
      network: networkOf(address),
      responses: new Set(),
      unreadBytes: new UnreadBytes(),
      idleSince: performance.now(),
      closingFrom: null,
      failure: null,
      last: null,
      isUpgraded: false,
    };
    this.#connections.set(socket, connection);
    openConnections.inc();
    const isCounted = !this.#isExempt(address);
    if (isCounted) this.#count(connection.network, 1);
    socket.once('close', () => {
      this.#connections.delete(socket);
      openConnections.dec();
      if (isCounted) this.#count(connection.network, -1);
      // Node emits `close` for the response that is being sent, but not for those queued behind it.
      for (const response of connection.responses) if (!response.socket) response.destroy().emit('close');
    });
    return connection;
  }

  #count(network: string, change: number): void {
    const count = (this.#networks.get(network) ?? 0) + change;
    if (count > 0) this.#networks.set(network, count);
    else this.#networks.delete(network);
  }

  #errorOf({ headers, rawHeaders, httpVersion }: IncomingMessage, { responses }: Connection): AppError | null {
    if (responses.size > MAX_PIPELINED) {
      const details = { message: createMessage('tooManyPipelined', MAX_PIPELINED), retryAfter: 1 };
      return limitError('pipelined requests', 'RATE_LIMITED', details);
    }
    if (rawHeaders.length > MAX_HEADERS * 2) {
      return limitError('headers', 'HEADERS_TOO_LARGE', { message: createMessage('tooManyHeaders', MAX_HEADERS) });
    }
    const wrong = explainHost(headers.host, rawHeaders, httpVersion);
    return wrong && new AppError('BAD_REQUEST', { message: wrong });
  }

  #finish(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.responses.delete(response);
    connection.idleSince = performance.now();
    if (connection.failure !== null && connection.responses.size === 0) {
      this.#close(socket, connection, connection.failure);
    }
  }

  #close(socket: Socket, connection: Connection, text: string): void {
    connection.closingFrom = socket.bytesRead;
    if (!socket.writable) return;
    socket.write(text);
    closeLingering(socket);
  }
}

/** `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), which may be empty. Zone ids are percent-encoded (RFC 6874). */
const HOST = /^(?:\[[\da-f:.]+(?:%25(?:[\w.~-]|%[\da-f]{2})+)?\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d{0,5})?$/i;

/** RFC 9112 §3.2: a request without a Host header, with several, or with an invalid one is rejected. */
export function explainHost(
  host: string | undefined,
  rawHeaders: readonly string[],
  httpVersion: string,
): Message | null {
  if (host === undefined) return httpVersion === '1.1' ? createMessage('hostHeaderMissing') : null;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  }
  if (count > 1) return createMessage('hostHeaderRepeated');
  return HOST.test(host) ? null : createMessage('hostHeaderInvalid', inspectValue(host));
}

/**
 * At the keep-alive timeout, keeps the idle connection for KEEP_ALIVE_MARGIN_MS: a request that the client sent before the timeout may
 * still arrive, and a client does not repeat one that is not idempotent when the connection is closed (RFC 9112 §9.3.1).
 */
function closeAfterMargin(socket: Socket): void {
  if (socket.timeout === KEEP_ALIVE_MARGIN_MS) socket.destroy();
  else socket.setTimeout(KEEP_ALIVE_MARGIN_MS);
}

/** Sets `Connection: close` on the last response in progress, so that pipelined requests before it also receive a response. */
function closeAfterLast(connection: Connection): void {
  const last = [...connection.responses].at(-1);
  // Without keep-alive, the response closes the connection anyway.
  if (!last?.shouldKeepAlive || last.headersSent) return;
  if (connection.last && !connection.last.headersSent) connection.last.shouldKeepAlive = true;
  last.shouldKeepAlive = false;
  connection.last = last;
}

const ERRORS_OF_NODE: Readonly<Record<string, ErrorKey>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
};

/** @returns undefined for a connection error, to which no response is possible */
function errorOf({ code = '' }: ParserError): AppError | undefined {
  const key = ERRORS_OF_NODE[code] ?? (code.startsWith('HPE_') ? 'BAD_REQUEST' : undefined);
  if (key === 'REQUEST_TIMEOUT') reachedLimits.inc({ counted: 'time for headers' });
  if (key === 'HEADERS_TOO_LARGE') reachedLimits.inc({ counted: 'header bytes' });
  return key && new AppError(key);
}
