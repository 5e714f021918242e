/** Subscriptions over WebSocket with the graphql-transport-ws protocol: authentication, limits, and error handling. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CloseCode, type Context as ConnectionOf, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Context, contextFor } from '../context.js';
import { maskError } from '../platform/database/mask-error.js';
import { AppError } from '../platform/errors.js';
import { GRAPHQL_PATH } from '../platform/http/error-response.js';
import { type RequestInfo } from '../platform/http/request.js';
import type { Log } from '../platform/observability/log.js';
import type { Viewer } from '../services/auth/policy.js';
import { authenticate } from '../services/auth/session.js';
import type { Services } from '../services/index.js';
import { streamLimitError } from '../services/live/connection-registry.js';
import { toGraphQLError, toReportedError } from './format-error.js';
import type { OperationChecks } from './operation-checks.js';
import { SocketConnection, TRY_AGAIN_LATER } from './socket-connection.js';
import { createStartSubscription, type Running, type StartedSubscription } from './socket-operation.js';

/** Maximum bytes of one message: documents have a token limit, and subscriptions have few variables. */
const MAX_MESSAGE_BYTES = 64 * 1024;

const OPTIONS = {
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  // Compression would use a window of some hundred kilobytes per connection.
  perMessageDeflate: false,
  handleProtocols,
  // Timeout of the closing handshake in milliseconds; shutdown waits for it.
  closeTimeout: 1_000,
} satisfies ServerOptions & { closeTimeout: number };

/** State of a connection. */
interface Extra {
  readonly connection: SocketConnection;
  readonly requestInfo: RequestInfo;
  readonly running: Running;
  viewer?: Viewer;
  /** Removes the connection from the registry that closes it when its session ends. */
  release?: () => void;
}

type Connection = ConnectionOf<Record<string, unknown>, Extra>;
type Protocol = Server<Extra>;

export type AcceptSocket = (request: IncomingMessage, socket: Duplex, head: Buffer, requestInfo: RequestInfo) => void;

export function createSocketServer(checks: OperationChecks, services: Services): AcceptSocket {
  const webSockets = new WebSocketServer(OPTIONS);
  const protocol = createProtocol(checks, services);
  return (request, socket, head, requestInfo) => {
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const extra: Extra = { connection: new SocketConnection(webSocket), requestInfo, running: new Set() };
      connect(webSocket, protocol, extra, services.log);
    });
  };
}

function createProtocol(checks: OperationChecks, services: Services): Protocol {
  const start = createStartSubscription(checks);
  return makeServer<Record<string, unknown>, Extra>({
    onConnect: (connection) => admit(services, connection),
    onSubscribe: async ({ extra, subscriptions }, _id, payload) => {
      const context = contextFor(services, extra.requestInfo, extra.viewer ?? null);
      // Includes subscriptions that are still starting, and this one.
      const others = Object.keys(subscriptions).length - 1;
      const rejection = streamLimitError(others, services.config.streams.maxPerMember);
      const started = rejection ? [toGraphQLError(context, rejection)] : await start(payload, context, extra.running);
      if (Array.isArray(started)) extra.connection.countRejected();
      return started;
    },
    subscribe: (started) => (started as StartedSubscription).rootValue,
    onNext: ({ extra }, _id, _payload, { contextValue }, { errors, ...result }) => {
      const context = contextValue as Context;
      if (!errors) return undefined;
      // Temporary failure: the client reconnects, and can subscribe again.
      if (isTransient(context, errors[0])) extra.connection.end('SERVICE_UNAVAILABLE');
      return { ...result, errors: errors.map((error) => toGraphQLError(context, error)) };
    },
    onClose: ({ extra }) => {
      extra.release?.();
      for (const results of [...extra.running]) void results.return();
    },
  });
}

function isTransient(context: Context, error: unknown): boolean {
  return toReportedError(context, error).key === 'SERVICE_UNAVAILABLE';
}

/** Authenticates `connection_init` by its Authorization parameter, which is required. @returns whether to acknowledge it */
async function admit(services: Services, { connectionParams = {}, extra }: Connection): Promise<boolean> {
  const { connection, requestInfo } = extra;
  const authorization = connectionParams.Authorization ?? connectionParams.authorization;
  try {
    if (typeof authorization !== 'string') throw new AppError('UNAUTHENTICATED');
    extra.viewer = await authenticate(services, authorization, requestInfo.client);
    // The client may have disconnected in the meantime; `release` would then never be called.
    connection.allowBurst();
    if (connection.isOpen) extra.release = services.hub.register(connection.toLiveConnection(extra.viewer));
    return connection.isOpen;
  } catch (error) {
    const { key, status } = maskError(error, services.log, requestInfo.requestId);
    connection.close(status === 401 || status === 403 ? CloseCode.Forbidden : TRY_AGAIN_LATER, key);
    return false;
  }
}

/** Connects graphql-ws with the WebSocket. */
function connect(webSocket: WebSocket, protocol: Protocol, extra: Extra, log: Log): void {
  const { connection, requestInfo } = extra;
  const closed = protocol.opened(
    {
      protocol: webSocket.protocol,
      send: (data) => connection.send(data),
      close: (code = CloseCode.InternalServerError, reason = '') => connection.close(code, reason),
      onMessage: (handle) => {
        webSocket.on('message', (data) => {
          if (!connection.acceptMessage()) return;
          handle(String(data)).catch((error) => {
            maskError(error, log, requestInfo.requestId);
            connection.close(CloseCode.InternalServerError, 'INTERNAL_ERROR');
          });
        });
      },
    },
    extra,
  );
  // Ignored: after an error in a frame or the connection, `close` follows.
  webSocket.on('error', () => {});
  webSocket.once('close', (code, reason) => {
    log.info({ requestId: requestInfo.requestId, route: GRAPHQL_PATH, code }, 'socket closed');
    void closed(code, String(reason));
  });
}
