/** What clients have not taken yet of the responses that were written for them. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's own timeouts use it too: what the socket tells of itself does not change while one large write is under way. */
interface Handle {
  readonly bytesWritten: number;
  /** Bytes that the kernel has not taken. */
  readonly writeQueueSize: number;
}

/** Of one connection. */
export class Progress {
  #takenBytes = 0;
  /** In milliseconds; 0 where nothing is waiting, or something was taken since the last observation. */
  #stalledSince = 0;

  /** @returns the bytes that wait. @param responses in progress; those that are not the first keep their bytes themselves */
  observe(socket: Socket, responses: ReadonlySet<ServerResponse>, now: number): number {
    let waiting = socket.writableLength;
    for (const response of responses) if (!response.socket) waiting += response.writableLength;
    const handle = (socket as { _handle?: Handle | null })._handle;
    const taken = handle ? handle.bytesWritten - handle.writeQueueSize : 0;
    if (waiting === 0 || taken !== this.#takenBytes) this.#stalledSince = 0;
    else if (this.#stalledSince === 0) this.#stalledSince = now;
    this.#takenBytes = taken;
    return waiting;
  }

  stalledMs(now: number): number {
    return this.#stalledSince === 0 ? 0 : now - this.#stalledSince;
  }
}

export interface Unread {
  readonly socket: Socket;
  readonly network: string;
  readonly bytes: number;
}

/** Connections that together have at least so many bytes: those of the networks that have the most, the largest first. */
export function mostUnread(unread: readonly Unread[], bytes: number): Unread[] {
  const networks = new Map<string, number>();
  const ofNetwork = ({ network }: Unread) => networks.get(network) ?? 0;
  for (const one of unread) networks.set(one.network, ofNetwork(one) + one.bytes);
  const sorted = [...unread].sort((a, b) => ofNetwork(b) - ofNetwork(a) || b.bytes - a.bytes);
  let found = 0;
  const enough = sorted.findIndex((one) => {
    found += one.bytes;
    return found >= bytes;
  });
  return enough === -1 ? sorted : sorted.slice(0, enough + 1);
}
