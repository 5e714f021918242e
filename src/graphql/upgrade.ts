/** Requests that ask for another protocol: WebSocket at `/graphql`; everything else goes on as if it had not asked. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { GRAPHQL_PATH } from '../http/error-response.js';

type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** From now on the server opens WebSockets. */
export function acceptUpgrades(server: Server, accept: Accept): void {
  server.on('upgrade', (request, socket, head) => {
    if (isForUs(request)) accept(request, socket, head);
    else goOn(server, request, socket, head);
  });
}

function isForUs({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.split('?')[0] === GRAPHQL_PATH;
}

/**
 * RFC 9110 §7.8: a server may ignore the wish, and clients such as Java's have it with every request, for HTTP/2. Node
 * has stopped reading by now, so that the request is put back without the wish, and read anew.
 */
function goOn(server: Server, { method, url, httpVersion, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
