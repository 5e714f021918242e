/** One WebSocket connection: message rate limit, backpressure, heartbeat, and close codes. */
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { fixedLimit } from '../platform/config/fixed-limit.js';
import { reachedLimits } from '../platform/observability/metrics/error.js';
import type { Viewer } from '../services/auth/policy.js';
import type { CloseReason, LiveConnection } from '../services/live/connection-registry.js';

/** Maximum bytes in the send buffer (`bufferedAmount`). A client that requests data faster than it reads is disconnected. */
const MAX_BUFFERED_BYTES = 256 * 1024;

const MESSAGE_BURST = fixedLimit({
  area: 'Live connections',
  value: 30,
  error: 'RATE_LIMITED',
  about: 'Burst of messages and pings from a WebSocket client. A further one closes the connection with the code 4429.',
});

const MESSAGES_BEFORE_INIT = fixedLimit({
  area: 'Live connections',
  value: 3,
  error: 'RATE_LIMITED',
  about:
    'Messages and pings from a WebSocket client before the connection is acknowledged. A further one closes it with the code 4429.',
});

const MESSAGES_PER_SECOND = fixedLimit({
  area: 'Live connections',
  value: 10,
  error: 'RATE_LIMITED',
  about:
    'Messages and pings per second from a WebSocket client, after the burst. A further one closes the connection with the code 4429.',
});

const MAX_REJECTED = fixedLimit({
  area: 'Live connections',
  value: 10,
  error: 'RATE_LIMITED',
  about: 'Rejected subscriptions on a WebSocket connection before it is closed with the code 4429.',
});

/** Close codes of RFC 6455 §7.4.1 and the IANA registry; clients of graphql-transport-ws reconnect after both. */
const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;

const CODES: Record<Exclude<CloseReason, 'TOO_SLOW'>, number> = {
  TOKEN_EXPIRED: CloseCode.Forbidden,
  SESSION_ENDED: CloseCode.Forbidden,
  API_TOKEN_EXPIRED: CloseCode.Forbidden,
  API_TOKEN_DELETED: CloseCode.Forbidden,
  MEMBER_SUSPENDED: CloseCode.Forbidden,
  SERVICE_UNAVAILABLE: TRY_AGAIN_LATER,
  STOPPING: GOING_AWAY,
};

export class SocketConnection {
  readonly #socket: WebSocket;
  #unreadSince = 0;
  /** Number of messages whose send callback is pending. */
  #unsent = 0;
  #isAlive = true;
  /** Token bucket: messages that the client may send, as of `#countedAt`. */
  #allowance = MESSAGES_BEFORE_INIT;
  #burst = MESSAGES_BEFORE_INIT;
  #countedAt = performance.now();
  #rejected = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    // The ws library sends a pong for each ping, even if the client does not read.
    socket.on('ping', () => {
      if (this.acceptMessage()) this.#requireReader();
    });
  }

  /** Counts a message. @returns whether it may be processed; if not, the connection is closed */
  acceptMessage(): boolean {
    if (!this.isOpen) return false;
    const now = performance.now();
    const earned = ((now - this.#countedAt) / 1000) * MESSAGES_PER_SECOND;
    this.#allowance = Math.min(this.#burst, this.#allowance + earned) - 1;
    this.#countedAt = now;
    if (this.#allowance >= 0) return true;
    this.#closeForRate('socket messages');
    return false;
  }

  /** Raises the rate limit once the client is acknowledged. */
  allowBurst(): void {
    this.#burst = MESSAGE_BURST;
    this.#allowance = MESSAGE_BURST;
  }

  /** Counts a rejected subscription. Closes the connection at MAX_REJECTED. */
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

  /** Resolves when the data has been written to the socket: backpressure for the next event of a subscription. */
  send(data: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    this.#unsent++;
    this.#unreadSince ||= performance.now();
    this.#requireReader();
    return new Promise((resolve) => {
      this.#socket.send(data, () => {
        this.#unsent--;
        this.#unreadSince = this.#unsent > 0 ? performance.now() : 0;
        resolve();
      });
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  end(reason: CloseReason): void {
    if (reason === 'TOO_SLOW') this.#socket.terminate();
    else this.#socket.close(CODES[reason], reason);
  }

  /** Adapter for the connection registry. */
  toLiveConnection(viewer: Viewer): LiveConnection {
    const unreadSince = () => this.#unreadSince;
    return {
      ...viewer,
      transport: 'websocket',
      get unreadSince() {
        return unreadSince();
      },
      heartbeat: () => this.#ping(),
      close: (reason) => this.end(reason),
    };
  }

  /** Heartbeat: sends a ping, or terminates the connection if the last ping had no pong. */
  #ping(): void {
    if (!this.#isAlive) this.#socket.terminate();
    else this.#socket.ping();
    this.#isAlive = false;
  }

  #requireReader(): void {
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#socket.terminate();
  }
}
