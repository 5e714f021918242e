/** What is used of Node's sockets besides their documented interface. A test fails where an upgrade changes it (node-internals.test.ts). */
import type { Server, Socket } from 'node:net';

/** The socket of a listening server. */
export interface ListeningSocket {
  /** Receives each accepted connection. */
  onconnection: (...connection: unknown[]) => void;
  close(): void;
}

/** @returns null if the server does not listen */
export function socketOf(server: Server): ListeningSocket | null {
  return (server as Server & { _handle: ListeningSocket | null })._handle;
}

interface Handle {
  readonly bytesWritten: number;
  /** Bytes that the kernel has not accepted yet. */
  readonly writeQueueSize: number;
}

/** Bytes that the kernel has accepted. Node's own timeouts use them too: the public counters do not change during one large write. */
export function acceptedBytes(socket: Socket): number {
  const handle = (socket as { _handle?: Handle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
