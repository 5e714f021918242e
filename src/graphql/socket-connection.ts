/** One WebSocket: what it says and hears, for whom it is open, and how it is closed. */
import { CloseCode } from 'graphql-ws';

import type { WebSocket } from 'ws';
import type { Viewer } from '../auth/caller.js';
import { fixedLimit } from '../config/limit.js';
import type { Ending, Held } from '../live/held.js';
import { reachedLimits } from '../observability/metrics/refusal.js';

/** Bytes that may wait for a client who does not read: what is past this has been asked for faster than it was read. */
const MOST_WAITING = 256 * 1024;

const MESSAGE_BURST = fixedLimit({
  area: 'Live connections',
  value: 30,
  unit: 'count',
  error: null,
  about:
    'Messages and pings that a WebSocket client may send at once. One more closes the connection with 4429 RATE_LIMITED.',
});

const MESSAGES_BEFORE_INIT = fixedLimit({
  area: 'Live connections',
  value: 3,
  unit: 'count',
  error: null,
  about: 'Messages and pings that a WebSocket client may send before it is acknowledged.',
});

const MESSAGES_PER_SECOND = fixedLimit({
  area: 'Live connections',
  value: 10,
  unit: 'count',
  error: null,
  about: 'Messages and pings a second that a WebSocket client may send on average.',
});

const MAX_REJECTED = fixedLimit({
  area: 'Live connections',
  value: 10,
  unit: 'count',
  error: null,
  about: 'Subscriptions that are rejected on a WebSocket before it is closed with 4429 RATE_LIMITED.',
});

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
  /** Messages that the client may send now (token bucket), as of `#countedAt`. */
  #allowance = MESSAGES_BEFORE_INIT;
  #burst = MESSAGES_BEFORE_INIT;
  #countedAt = Date.now();
  #rejected = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // Each is answered by the library, whether the answers are read or not.
    socket.on('ping', () => {
      if (this.acceptMessage()) this.#requireReader();
    });
  }

  /** Counts a message. @returns whether it may be processed; otherwise the connection is closed */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    const now = Date.now();
    const earned = ((now - this.#countedAt) / 1000) * MESSAGES_PER_SECOND;
    this.#allowance = Math.min(this.#burst, this.#allowance + earned) - 1;
    this.#countedAt = now;
    if (this.#allowance >= 0) return true;
    this.#closeForRate('socket messages');
    return false;
  }

  /** The client has been acknowledged. */
  allowBurst(): void {
    this.#burst = MESSAGE_BURST;
    this.#allowance = MESSAGE_BURST;
  }

  /** Counts a subscription that was rejected: a client that goes on is disconnected. */
  countRejected(): void {
    this.#rejected++;
    if (this.#rejected >= MAX_REJECTED) this.#closeForRate('rejected subscriptions');
  }

  #closeForRate(counted: string): void {
    reachedLimits.inc({ counted });
    this.close(CloseCode.TooManyInitialisationRequests, 'RATE_LIMITED');
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
