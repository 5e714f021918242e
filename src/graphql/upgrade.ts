/** Upgrade requests: WebSocket at `/graphql`; all other requests are processed without the upgrade. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { explainHost } from '../platform/http/connections.js';
import { GRAPHQL_PATH } from '../platform/http/error-response.js';

type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Registers the handler for upgrade requests. */
export function acceptUpgrades(server: Server, accept: Accept): void {
  server.on('upgrade', (request, socket, head) => {
    if (isGraphqlWebSocket(request) && hasValidHost(request)) accept(request, socket, head);
    else continueWithoutUpgrade(server, request, socket, head);
  });
}

function isGraphqlWebSocket({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.split('?')[0] === GRAPHQL_PATH;
}

/** Without it, the request is processed without the upgrade, and rejected with the reason. */
function hasValidHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  return explainHost(headers.host, rawHeaders, httpVersion) === null;
}

/**
 * RFC 9110 §7.8: a server may ignore Upgrade, and clients such as Java's send it with every request, for HTTP/2. Node
 * has detached its parser here, so the request is pushed back (`unshift`) without the header and parsed again.
 */
function continueWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
