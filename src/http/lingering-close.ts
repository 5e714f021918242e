/**
 * Closes a connection on which the client may still be sending. Closing it at once would reset it, and a client can lose
 * the response to a reset (RFC 9112 §9.6): what still arrives is discarded for a while, within bounds.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;
/** Enough for clients that read the response only after the largest upload. */
const LINGER_BYTES = 16 * 1024 * 1024;
/** Smaller chunks count as if they had this size, since each takes time. */
const MIN_CHUNK_BYTES = 16 * 1024;

/** For a response that is sent before the body of its request has arrived: the connection is closed after it. */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent) return;
  response.setHeader('Connection', 'close');
  // Otherwise Node would discard the rest by itself, and without bounds.
  request.read(0);
  const { socket } = request;
  const close = socket.destroySoon.bind(socket);
  // Node calls it when the response is out.
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

/** Sends the end of the connection now, and destroys it a little later. */
export function closeLingering(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
}

/** Whether a connection that is closing has sent enough to be discarded. @param from its `bytesRead` as it began */
export function hasLingeredEnough(socket: Socket, from: number): boolean {
  return socket.bytesRead - from > LINGER_BYTES;
}
