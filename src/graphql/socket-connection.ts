/** One WebSocket: what it says and hears, for whom it is open, and how it is closed. */
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Viewer } from '../context.js';
import type { Ending, Held } from '../notifications/held.js';

/** Bytes that may wait for a client who does not read: what is past this has been asked for faster than it was read. */
const MOST_WAITING = 256 * 1024;

/** RFC 6455 §7.4.1 and the IANA's registry; clients of graphql-transport-ws come back after each of these. */
const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;

const CODES: Record<Exclude<Ending, 'TOO_SLOW'>, number> = {
  TOKEN_EXPIRED: CloseCode.Forbidden,
  SESSION_ENDED: CloseCode.Forbidden,
  SERVICE_UNAVAILABLE: TRY_AGAIN_LATER,
  STOPPING: GOING_AWAY,
};

export class SocketConnection {
  readonly #socket: WebSocket;
  #stuckSince = 0;
  /** Messages that the network has not taken yet. */
  #waiting = 0;
  #isAlive = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // Each is answered by the library, whether the answers are read or not.
    socket.on('ping', () => this.#requireReader());
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves once the network has taken it, so that a subscription waits with its next event. */
  send(data: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    this.#waiting++;
    this.#stuckSince ||= Date.now();
    this.#requireReader();
    return new Promise((resolve) => {
      this.#socket.send(data, () => {
        this.#waiting--;
        this.#stuckSince = this.#waiting > 0 ? Date.now() : 0;
        resolve();
      });
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  end(ending: Ending): void {
    if (ending === 'TOO_SLOW') this.#socket.terminate();
    else this.#socket.close(CODES[ending], ending);
  }

  /** The connection as it is held for a viewer. */
  heldFor(viewer: Viewer): Held {
    const stuckSince = () => this.#stuckSince;
    return {
      ...viewer,
      transport: 'websocket',
      get stuckSince() {
        return stuckSince();
      },
      beat: () => this.#beat(),
      end: (ending) => this.end(ending),
    };
  }

  /** Who did not answer the last one is not there any more. */
  #beat(): void {
    if (!this.#isAlive) this.#socket.terminate();
    else this.#socket.ping();
    this.#isAlive = false;
  }

  #requireReader(): void {
    if (this.#socket.bufferedAmount > MOST_WAITING) this.#socket.terminate();
  }
}
