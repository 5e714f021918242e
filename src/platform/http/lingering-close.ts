/**
 * Lingering close of a connection on which the client may still be sending. An immediate close would cause a TCP reset, by
 * which the client can lose the response (RFC 9112 §9.6): received bytes are discarded for a limited time and size.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;
/** Enough for clients that read the response only after they have sent the largest upload. */
const LINGER_BYTES = 16 * 1024 * 1024;
/** Smaller chunks count with this size, since each one takes CPU time. */
const MIN_CHUNK_BYTES = 16 * 1024;

/** For a response that is sent before the request body is complete: closes the connection after the response. */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent) return;
  response.setHeader('Connection', 'close');
  // Otherwise Node would discard the rest of the body itself, without a limit.
  request.read(0);
  const { socket } = request;
  const close = socket.destroySoon.bind(socket);
  // Node calls destroySoon when the response has been sent.
  socket.destroySoon = () => {
    let left = LINGER_BYTES;
    request.on('data', ({ length }: Buffer) => {
      left -= Math.max(length, MIN_CHUNK_BYTES);
      if (left >= 0) return;
      request.pause();
      socket.pause();
    });
    request.once('end', close);
    closeLingering(socket);
  };
}

/** Ends the writable side now, and destroys the socket after LINGER_MS. */
export function closeLingering(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
}

/** Whether a closing connection has received more than LINGER_BYTES. @param from `bytesRead` when closing started */
export function hasLingeredEnough(socket: Socket, from: number): boolean {
  return socket.bytesRead - from > LINGER_BYTES;
}
