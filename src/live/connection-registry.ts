/** Open connections (SSE, WebSocket) of this process: each is closed when its access token expires or its session ends. */
import type { Viewer } from '../auth/caller.js';
import type { Database } from '../database/pool.js';
import type { MessageKey } from '../messages/message.js';
import { LIVE_SESSIONS } from '../models/session.js';
import type { Log } from '../observability/log.js';
import { openStreams } from '../observability/metrics/stream.js';
import { ByMember } from './by-member.js';
import { CoalescingQueue } from './coalescing-queue.js';
import { requireStreamSlot } from './stream-slot.js';

/** Close reasons of the server, each with the key of its message. */
export const CLOSE_REASONS = {
  TOKEN_EXPIRED: 'TOKEN_EXPIRED',
  SESSION_ENDED: 'sessionEnded',
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  STOPPING: 'serverStopping',
} as const satisfies Record<string, MessageKey>;

/** TOO_SLOW sends no close message: the client is not reading. */
export type CloseReason = keyof typeof CLOSE_REASONS | 'TOO_SLOW';

/** An open connection of a session. */
export interface LiveConnection extends Viewer {
  readonly transport: 'sse' | 'websocket';
  /** Time since which the client has read none of the pending data (Unix time in milliseconds); 0 while no data is pending. */
  readonly unreadSince: number;
  /** Sends a heartbeat, so that no endpoint or proxy closes the connection as idle. */
  heartbeat(): void;
  close(reason: CloseReason): void;
}

export interface ConnectionOptions {
  /** Maximum number of open connections of one member. */
  maxPerMember: number;
  /** Heartbeat interval in milliseconds. */
  heartbeatMs: number;
  /** Write timeout in milliseconds: a client that reads nothing for longer is disconnected. */
  writeTimeoutMs: number;
}

/** Interval in milliseconds of the timer that checks all connections. */
const CHECK_INTERVAL_MS = 1_000;
/** Maximum number of members whose sessions are read in one statement. */
const MEMBERS_AT_ONCE = 500;

export class ConnectionRegistry {
  readonly #open = new ByMember<LiveConnection>();
  readonly #checking: CoalescingQueue<number>;
  readonly #timer: NodeJS.Timeout;
  /** Time of the next heartbeat (Unix time in milliseconds), counted from the opening, so that heartbeats are spread over time. */
  readonly heartbeatAt = new WeakMap<LiveConnection, number>();

  constructor(
    readonly database: Database,
    readonly options: ConnectionOptions,
    log: Log,
  ) {
    this.#checking = new CoalescingQueue(MEMBERS_AT_ONCE, (members) => this.#check(members), log);
    this.#timer = setInterval(() => this.#tick(Date.now()), CHECK_INTERVAL_MS).unref();
  }

  /** @returns a function that unregisters it. @throws AppError RATE_LIMITED where the member has the maximum number open */
  add(held: LiveConnection): () => void {
    requireStreamSlot(this.#open.of(held.memberId), this.options.maxPerMember);
    this.#open.add(held);
    this.heartbeatAt.set(held, Date.now() + this.options.heartbeatMs);
    // The session may have ended between the check of its token and this registration; later ends arrive as NOTIFY.
    this.check([held.memberId]);
    openStreams.inc({ transport: held.transport });
    return () => {
      if (this.#open.delete(held)) openStreams.dec({ transport: held.transport });
    };
  }

  /** Schedules a check whether the sessions of these members are still valid. */
  check(memberIds: Iterable<number>): void {
    const ids = [...memberIds].filter((id) => this.#open.of(id).size > 0);
    if (ids.length > 0) this.#checking.add(ids);
  }

  checkAll(): void {
    this.check(this.#open.members());
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#checking.stop();
    for (const held of this.#open.all()) held.close('STOPPING');
  }

  async #check(members: number[]): Promise<void> {
    const held = members.flatMap((memberId) => [...this.#open.of(memberId)]);
    const rows = await this.database.query(LIVE_SESSIONS, [[...new Set(held.map(({ sessionId }) => sessionId))]]);
    const live = new Set(rows.map(({ id }) => id));
    for (const one of held) if (!live.has(one.sessionId)) one.close('SESSION_ENDED');
  }

  #tick(now: number): void {
    for (const held of this.#open.all()) {
      if (held.expiresAt <= now) held.close('TOKEN_EXPIRED');
      else if (held.unreadSince > 0 && now - held.unreadSince > this.options.writeTimeoutMs) held.close('TOO_SLOW');
      else this.#beat(held, now);
    }
  }

  #beat(held: LiveConnection, now: number): void {
    const due = this.heartbeatAt.get(held) ?? 0;
    if (due > now) return;
    this.heartbeatAt.set(held, due + this.options.heartbeatMs);
    if (held.unreadSince === 0) held.heartbeat();
  }
}
