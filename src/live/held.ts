/** The connections that sessions hold open in this process: each is closed when its token or its session ends. */
import type { Viewer } from '../auth/caller.js';
import type { Database } from '../database/pool.js';
import type { MessageKey } from '../messages/message.js';
import { LIVE_SESSIONS } from '../models/session.js';
import type { Log } from '../observability/log.js';
import { openStreams } from '../observability/metrics/stream.js';
import { Batches } from './batches.js';
import { ByMember } from './by-member.js';
import { requireRoom } from './room.js';

/** Why a connection is closed by the server, and what is said of it. */
export const ENDINGS = {
  TOKEN_EXPIRED: 'TOKEN_EXPIRED',
  SESSION_ENDED: 'sessionEnded',
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  STOPPING: 'streamStopping',
} as const satisfies Record<string, MessageKey>;

/** To a client that does not read nothing can be said. */
export type Ending = keyof typeof ENDINGS | 'TOO_SLOW';

/** A connection that stays open on behalf of a session. */
export interface Held extends Viewer {
  readonly transport: 'sse' | 'websocket';
  /** When its client was last seen not to take what was sent, in milliseconds; 0 while it takes everything. */
  readonly stuckSince: number;
  /** Sends something that means nothing, so that neither side nor a proxy between takes the connection for dead. */
  beat(): void;
  end(ending: Ending): void;
}

export interface HeldOptions {
  /** Connections that one member may have open. */
  limit: number;
  /** Milliseconds between two beats. */
  heartbeat: number;
  /** Milliseconds for which a client may take nothing of what was sent. */
  patience: number;
}

/** Milliseconds between two looks at all connections: one timer for all of them. */
const TICK = 1_000;
/** Members whose sessions are looked up together. */
const MEMBERS_AT_ONCE = 500;

export class HeldConnections {
  readonly #open = new ByMember<Held>();
  readonly #checking: Batches<number>;
  /** By the second of the heartbeat's round in which they were opened, so that not all beat at once. */
  readonly #timer: NodeJS.Timeout;
  readonly #beats = new WeakMap<Held, number>();

  constructor(
    readonly database: Database,
    readonly options: HeldOptions,
    log: Log,
  ) {
    this.#checking = new Batches(MEMBERS_AT_ONCE, (members) => this.#check(members), log);
    this.#timer = setInterval(() => this.#tick(Date.now()), TICK).unref();
  }

  /** @returns gives it up again. @throws AppError RATE_LIMITED where the member has enough of them */
  add(held: Held): () => void {
    requireRoom(this.#open.of(held.memberId), this.options.limit);
    this.#open.add(held);
    this.#beats.set(held, Date.now() + this.options.heartbeat);
    // The session may have ended since its token was checked; from here on its end is heard.
    this.check([held.memberId]);
    openStreams.inc({ transport: held.transport });
    return () => {
      if (this.#open.delete(held)) openStreams.dec({ transport: held.transport });
    };
  }

  /** Looks whether the sessions of these members live. */
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
