/** Response bytes that clients have not read yet. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { acceptedBytes } from './node-internals.js';

/** The unread bytes of one connection, and the time since the client last read some. */
export class UnreadBytes {
  #takenBytes = 0;
  /** Start of the stall in milliseconds since 1970; 0 if nothing is pending, or bytes were sent since the last observation. */
  #stalledSince = 0;

  /** @returns the unsent bytes. @param responses in progress; all but the first one buffer their own bytes */
  observe(socket: Socket, responses: ReadonlySet<ServerResponse>, now: number): number {
    let waiting = socket.writableLength;
    for (const response of responses) if (!response.socket) waiting += response.writableLength;
    const taken = acceptedBytes(socket);
    if (waiting === 0 || taken !== this.#takenBytes) this.#stalledSince = 0;
    else if (this.#stalledSince === 0) this.#stalledSince = now;
    this.#takenBytes = taken;
    return waiting;
  }

  stalledMs(now: number): number {
    return this.#stalledSince === 0 ? 0 : now - this.#stalledSince;
  }
}

export interface UnreadConnection {
  readonly socket: Socket;
  readonly network: string;
  readonly bytes: number;
}

/** Connections with at least `bytes` unread bytes in total: networks with the most first, then the largest connections. */
export function mostUnread(unread: readonly UnreadConnection[], bytes: number): UnreadConnection[] {
  const networks = new Map<string, number>();
  const ofNetwork = ({ network }: UnreadConnection) => networks.get(network) ?? 0;
  for (const one of unread) networks.set(one.network, ofNetwork(one) + one.bytes);
  const sorted = [...unread].sort((a, b) => ofNetwork(b) - ofNetwork(a) || b.bytes - a.bytes);
  let found = 0;
  const enough = sorted.findIndex((one) => {
    found += one.bytes;
    return found >= bytes;
  });
  return enough === -1 ? sorted : sorted.slice(0, enough + 1);
}
