/**
 * Open connections (SSE, WebSocket) of this process: each is closed when its access token expires or its session or API token ends; one of an API token
 * also when its member is suspended.
 */
import { LIVE_ACCESS } from '../../models/session/session.js';
import type { Database } from '../../platform/database/pool.js';
import { AppError } from '../../platform/errors.js';
import { createMessage, type MessageKey } from '../../platform/messages/message.js';
import type { Log } from '../../platform/observability/log.js';
import { openStreams } from '../../platform/observability/metrics/saturation.js';
import type { Viewer } from '../auth/policy.js';
import { CoalescingQueue } from './coalescing-queue.js';

/** Close reasons of the server, each with the key of its message. */
export const CLOSE_REASONS = {
  TOKEN_EXPIRED: 'TOKEN_EXPIRED',
  SESSION_ENDED: 'sessionEnded',
  API_TOKEN_EXPIRED: 'apiTokenExpired',
  API_TOKEN_DELETED: 'apiTokenUnknown',
  MEMBER_SUSPENDED: 'MEMBER_SUSPENDED',
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  STOPPING: 'serverStopping',
} as const satisfies Record<string, MessageKey>;

/** TOO_SLOW sends no close message: the client is not reading. */
export type CloseReason = keyof typeof CLOSE_REASONS | 'TOO_SLOW';

/** An open connection of a session or an API token. */
export interface LiveConnection extends Pick<Viewer, 'memberId' | 'credentialId' | 'scopes' | 'expiresAt'> {
  readonly transport: 'sse' | 'websocket';
  /** Time since which the client has read none of the pending data (`performance.now()`); 0 while no data is pending. */
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
const MAX_MEMBERS_PER_READ = 500;

export class ConnectionRegistry {
  readonly #open: ByMember<LiveConnection>;
  readonly #checking: CoalescingQueue<number>;
  readonly #timer: NodeJS.Timeout;
  /** Time of the next heartbeat (Unix time in milliseconds), counted from the opening, so that heartbeats are spread over time. */
  readonly #heartbeatAt = new WeakMap<LiveConnection, number>();

  constructor(
    readonly database: Database,
    readonly options: ConnectionOptions,
    log: Log,
  ) {
    this.#open = new ByMember(options.maxPerMember);
    this.#checking = new CoalescingQueue(MAX_MEMBERS_PER_READ, (members) => this.#check(members), log);
    this.#timer = setInterval(() => this.#tick(), CHECK_INTERVAL_MS).unref();
  }

  /** @returns a function that unregisters it. @throws AppError RATE_LIMITED where the member has the maximum number open */
  add(connection: LiveConnection): () => void {
    this.#open.add(connection);
    this.#heartbeatAt.set(connection, performance.now() + this.options.heartbeatMs);
    // The session may have ended between the check of its token and this registration; later ends arrive as NOTIFY.
    this.check([connection.memberId]);
    openStreams.inc({ transport: connection.transport });
    return () => {
      if (this.#open.delete(connection)) openStreams.dec({ transport: connection.transport });
    };
  }

  /** Schedules a check whether the sessions and API tokens of these members are still valid. */
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
    for (const connection of this.#open.all()) connection.close('STOPPING');
  }

  async #check(members: number[]): Promise<void> {
    const connections = members.flatMap((memberId) => [...this.#open.of(memberId)]);
    const credentialIds = new Set(connections.map(({ credentialId }) => credentialId));
    const rows = await this.database.query(LIVE_ACCESS, [[...credentialIds]]);
    const live = new Map(rows.map((row) => [row.id, row]));
    for (const connection of connections) {
      const { credentialId, scopes } = connection;
      const access = live.get(credentialId);
      if (!access) connection.close(scopes ? 'API_TOKEN_DELETED' : 'SESSION_ENDED');
      else if (access.isSuspended) connection.close('MEMBER_SUSPENDED');
    }
  }

  #tick(): void {
    const now = performance.now();
    for (const connection of this.#open.all()) {
      const { expiresAt, scopes, unreadSince } = connection;
      if (expiresAt <= this.database.now()) connection.close(scopes ? 'API_TOKEN_EXPIRED' : 'TOKEN_EXPIRED');
      else if (unreadSince > 0 && now - unreadSince > this.options.writeTimeoutMs) connection.close('TOO_SLOW');
      else this.#sendHeartbeat(connection, now);
    }
  }

  #sendHeartbeat(connection: LiveConnection, now: number): void {
    const due = this.#heartbeatAt.get(connection) ?? 0;
    if (due > now) return;
    this.#heartbeatAt.set(connection, due + this.options.heartbeatMs);
    if (connection.unreadSince === 0) connection.heartbeat();
  }
}

/** Retry-After in seconds: the time in which a stream abandoned by its client should have been detected and closed. */
const RETRY_AFTER_SECONDS = 30;

/** Open connections or cursors by member, limited per member, because each open one uses memory. */
export class ByMember<Open extends { readonly memberId: number }> {
  readonly #sets = new Map<number, Set<Open>>();

  /** @param limit maximum number of open ones of one member in this process */
  constructor(readonly limit: number) {}

  /** @throws AppError RATE_LIMITED where the member has the maximum number open */
  add(one: Open): void {
    const set = this.#sets.get(one.memberId) ?? new Set();
    const error = streamLimitError(set.size, this.limit);
    if (error) throw error;
    this.#sets.set(one.memberId, set.add(one));
  }

  /** @returns whether it was in the set */
  delete(one: Open): boolean {
    const set = this.#sets.get(one.memberId);
    const wasThere = set?.delete(one) ?? false;
    if (set?.size === 0) this.#sets.delete(one.memberId);
    return wasThere;
  }

  of(memberId: number): ReadonlySet<Open> {
    return this.#sets.get(memberId) ?? new Set();
  }

  members(): number[] {
    return [...this.#sets.keys()];
  }

  /** A copy, since callers may close (and so delete) entries while they iterate. */
  all(): Open[] {
    return [...this.#sets.values()].flatMap((set) => [...set]);
  }
}

/** The error for one more stream; null while fewer than `limit` are open. */
export function streamLimitError(open: number, limit: number): AppError | null {
  if (open < limit) return null;
  return new AppError('RATE_LIMITED', {
    message: createMessage('tooManyStreams', open, limit),
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
