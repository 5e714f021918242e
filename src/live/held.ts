/** Open connections (SSE, WebSocket) of this process: each is closed when its access token expires or its session ends. */
import type { Viewer } from '../auth/caller.js';
import type { Database } from '../database/pool.js';
import type { MessageKey } from '../messages/message.js';
import { LIVE_SESSIONS } from '../models/session.js';
import type { Log } from '../observability/log.js';
import { openStreams } from '../observability/metrics/stream.js';
import { Batches } from './batches.js';
import { ByMember } from './by-member.js';
import { requireRoom } from './room.js';

/** Close reasons of the server, each with the key of its message. */
export const ENDINGS = {
  TOKEN_EXPIRED: 'TOKEN_EXPIRED',
  SESSION_ENDED: 'sessionEnded',
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  STOPPING: 'streamStopping',
} as const satisfies Record<string, MessageKey>;

/** TOO_SLOW sends no close message: the client is not reading. */
export type Ending = keyof typeof ENDINGS | 'TOO_SLOW';

/** An open connection of a session. */
export interface Held extends Viewer {
  readonly transport: 'sse' | 'websocket';
  /** Time since which the client has read none of the pending data (Unix time in milliseconds); 0 while no data is pending. */
  readonly stuckSince: number;
  /** Sends a heartbeat, so that no endpoint or proxy closes the connection as idle. */
  beat(): void;
  end(ending: Ending): void;
}

export interface HeldOptions {
  /** Maximum number of open connections of one member. */
  limit: number;
  /** Heartbeat interval in milliseconds. */
  heartbeat: number;
  /** Write timeout in milliseconds: a client that reads nothing for longer is disconnected. */
  patience: number;
}

/** Interval in milliseconds of the timer that checks all connections. */
const TICK = 1_000;
/** Maximum number of members whose sessions are read in one statement. */
const MEMBERS_AT_ONCE = 500;

export class HeldConnections {
  readonly #open = new ByMember<Held>();
  readonly #checking: Batches<number>;
  readonly #timer: NodeJS.Timeout;
  /** Time of the next heartbeat (Unix time in milliseconds), counted from the opening, so that heartbeats are spread over time. */
  readonly #beats = new WeakMap<Held, number>();

  constructor(
    readonly database: Database,
    readonly options: HeldOptions,
    log: Log,
  ) {
    this.#checking = new Batches(MEMBERS_AT_ONCE, (members) => this.#check(members), log);
    this.#timer = setInterval(() => this.#tick(Date.now()), TICK).unref();
  }

  /** @returns a function that unregisters it. @throws AppError RATE_LIMITED where the member has the maximum number open */
  add(held: Held): () => void {
    requireRoom(this.#open.of(held.memberId), this.options.limit);
    this.#open.add(held);
    this.#beats.set(held, Date.now() + this.options.heartbeat);
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
    for (const held of this.#open.all()) held.end('STOPPING');
  }

  async #check(members: number[]): Promise<void> {
    const held = members.flatMap((memberId) => [...this.#open.of(memberId)]);
    const rows = await this.database.query(LIVE_SESSIONS, [[...new Set(held.map(({ sessionId }) => sessionId))]]);
    const live = new Set(rows.map(({ id }) => id));
    for (const one of held) if (!live.has(one.sessionId)) one.end('SESSION_ENDED');
  }

  #tick(now: number): void {
    for (const held of this.#open.all()) {
      if (held.expiresAt <= now) held.end('TOKEN_EXPIRED');
      else if (held.stuckSince > 0 && now - held.stuckSince > this.options.patience) held.end('TOO_SLOW');
      else this.#beat(held, now);
    }
  }

  #beat(held: Held, now: number): void {
    const due = this.#beats.get(held) ?? 0;
    if (due > now) return;
    this.#beats.set(held, due + this.options.heartbeat);
    if (held.stuckSince === 0) held.beat();
  }
}
