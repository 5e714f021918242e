/** Standby servers that serve reads: which of them gets a read, how long it may take, and when one is used again after a failure. */
import { setTimeout as delay } from 'node:timers/promises';
import ms from 'ms';
import pg from 'pg';
import { withTimeout } from '../concurrency/timeout.js';
import { describeDatabaseUrl } from '../config/database-url.js';
import type { Log } from '../observability/log.js';
import { type FallbackReason, type ReplicaMetrics, watchReplica } from '../observability/metrics/replicas.js';
import { type PoolState, watchPool } from '../observability/metrics/saturation.js';
import type { BoundedConfig } from './bounded-client.js';
import { ObservedClient } from './observed-client.js';
import { BEGIN_SNAPSHOT, type Database, type SnapshotTransaction, sqlState } from './pool.js';
import { evictLeastRecentlyUsed } from './prepared-statement-limit.js';
import { type PreparedText, rowsOf, statement } from './statement.js';

/** A read that waits longer is sent to the primary. */
const TIMEOUT_MS = 500;

const CHECK_INTERVAL_MS = 1_000;
/** Time without reads after a failure; doubled with each failure that follows within `STABLE_MS`. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const STABLE_MS = 30_000;
const IDLE_TIMEOUT_MS = ms('1m');
const MAX_USES = 50_000;

/** A replica whose rows are of an older version gets fewer reads, but always some that show when it has caught up. */
const MIN_WEIGHT = 0.05;
const WEIGHT_STEP = 0.1;

const BEGIN = statement<[]>('begin_snapshot', BEGIN_SNAPSHOT);
const COMMIT = statement<[]>('commit_snapshot', 'commit');

/** In bytes of the write-ahead log. */
const PRIMARY_POSITION = statement<[], { position: number }>(
  'primary_position',
  `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position`,
);

const REPLICA_STATE = statement<[], { isStandby: boolean; position: number | null }>(
  'replica_state',
  `select pg_is_in_recovery() as "isStandby", pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position`,
);

export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #primary: Database;
  readonly #closing = new AbortController();
  #next = 0;

  /** @param poolSize maximum number of connections to each */
  constructor(urls: readonly string[], primary: Database, poolSize: number, log: Log) {
    this.#primary = primary;
    this.#replicas = urls.map((url) => new Replica(url, poolSize, log));
    void this.#watch();
  }

  get available(): number {
    return this.#replicas.filter(({ isAvailable }) => isAvailable).length;
  }

  get total(): number {
    return this.#replicas.length;
  }

  /** The next replica in turn that accepts a read; undefined if none does. */
  choose(): Replica | undefined {
    for (let count = 0; count < this.#replicas.length; count++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length];
      if (replica?.acceptsRead()) return replica;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Before the positions of the replicas, which are behind it then.
      const [primary] =
        (await withTimeout(this.#primary.query(PRIMARY_POSITION, []), TIMEOUT_MS).catch(() => [])) ?? [];
      if (signal.aborted) return;
      await Promise.all(this.#replicas.map((replica) => replica.check(primary?.position)));
      await delay(CHECK_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

export class Replica implements ReplicaMetrics {
  /** Host and database, without user and password. */
  readonly name: string;
  isAvailable = false;
  #isChecked = false;
  weight = 1;
  lagBytes: number | undefined;
  /** Number of connections that have ended. Of two rows that were read without such an end in between, the second is not older than the first. */
  endedConnections = 0;
  readonly #poolSize: number;
  readonly #pool: pg.Pool;
  readonly #log: Log;
  readonly #unwatch: () => void;
  #inProgress = 0;
  #pauseMs = MIN_PAUSE_MS;
  /** By `performance.now()`. */
  #pausedUntil = 0;
  #availableSince = 0;

  constructor(url: string, poolSize: number, log: Log) {
    this.name = describeDatabaseUrl(url);
    this.#poolSize = poolSize;
    this.#log = log;
    this.#pool = this.#openPool(url);
    const unwatch = [watchReplica(this), watchPool(`replica ${this.name}`, () => this.#poolState())];
    this.#unwatch = () => unwatch.forEach((stop) => void stop());
  }

  acceptsRead(): boolean {
    return this.isAvailable && this.#inProgress < this.#poolSize && Math.random() < this.weight;
  }

  /** @throws Error with any failure, after which the statement must be sent to the primary */
  async query<Row>(sent: PreparedText, values: readonly unknown[]): Promise<Row[]> {
    this.#inProgress++;
    try {
      return await this.#runBounded<Row>(sent, values);
    } finally {
      this.#inProgress--;
    }
  }

  /** Each statement may take as long as a single one. @throws Error like `query`, also from its statements */
  async beginSnapshot(): Promise<SnapshotTransaction> {
    this.#inProgress++;
    const connecting = this.#pool.connect();
    const client = await withTimeout(connecting, TIMEOUT_MS).catch(() => undefined);
    let isUsable = client !== undefined;
    const end = () => {
      this.#inProgress--;
      if (client) client.release(!isUsable);
      else connecting.then((late) => late.release()).catch(() => {});
    };
    const send = async <Row>(statement: PreparedText, values: readonly unknown[]) => {
      const rows =
        client && (await withTimeout(run<Row>(client as unknown as ObservedClient, statement, values), TIMEOUT_MS));
      if (rows) return rows;
      isUsable = false;
      throw noResponseError();
    };
    try {
      await send(BEGIN, []);
    } catch (error) {
      isUsable = false;
      end();
      throw error;
    }
    return {
      query: send,
      end: async () => {
        await send(COMMIT, []).catch(() => {
          isUsable = false;
        });
        end();
      },
    };
  }

  /** Called after each page read, with whether its rows were of the current version. */
  setCurrent(isCurrent: boolean): void {
    this.weight = isCurrent ? Math.min(1, this.weight + WEIGHT_STEP) : Math.max(MIN_WEIGHT, this.weight / 2);
  }

  /** Called with the error of `query`. */
  reject(error: unknown, { timeoutMs }: PreparedText): FallbackReason {
    const code = sqlState(error) ?? '';
    if (code === '57014' && timeoutMs !== undefined) return 'timeout';
    if (code === '57014' || code === 'ETIMEDOUT') {
      this.#pause('timeout');
      return 'timeout';
    }
    if (!/^[0-9A-Z]{5}$/.test(code) || /^(?:08|53|57|58|XX)/.test(code)) {
      this.#pause(code);
      return 'failed';
    }
    this.setCurrent(false);
    return code === '40001' ? 'conflict' : 'error';
  }

  async check(primaryPosition: number | undefined): Promise<void> {
    try {
      const [state] = await this.#runBounded<{ isStandby: boolean; position: number | null }>(REPLICA_STATE, []);
      const { isStandby = false, position = null } = state ?? {};
      const lag = (primaryPosition ?? Number.NaN) - (position ?? Number.NaN);
      this.lagBytes = Number.isNaN(lag) ? undefined : Math.max(0, lag);
      if (!isStandby) this.#setAvailable(false, 'not a standby');
      else if (performance.now() >= this.#pausedUntil) this.#setAvailable(true);
    } catch (error) {
      this.lagBytes = undefined;
      this.#setAvailable(false, sqlState(error));
    }
  }

  async close(): Promise<void> {
    this.#unwatch();
    // A server that does not respond must not delay the end of the process.
    await withTimeout(this.#pool.end(), TIMEOUT_MS);
  }

  #openPool(url: string): pg.Pool {
    const config: BoundedConfig = {
      connectionString: url,
      application_name: 'daybook',
      settings: { statement_timeout: TIMEOUT_MS, plan_cache_mode: 'force_generic_plan', jit: 'off' },
    };
    const onEnd = () => void this.endedConnections++;
    class Client extends ObservedClient {
      constructor() {
        super(config);
        this.once('end', onEnd);
      }
    }
    const pool = new pg.Pool({
      max: this.#poolSize,
      maxUses: MAX_USES,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      Client,
    });
    // Of an idle connection: the next read opens another one.
    pool.on('error', () => {});
    return pool;
  }

  #poolState(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { max: this.#poolSize, inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async #runBounded<Row>(sent: PreparedText, values: readonly unknown[]): Promise<Row[]> {
    const rows = await withTimeout(this.#run<Row>(sent, values), TIMEOUT_MS);
    if (rows) return rows;
    throw noResponseError();
  }

  async #run<Row>(sent: PreparedText, values: readonly unknown[]): Promise<Row[]> {
    const client = (await this.#pool.connect()) as unknown as ObservedClient & pg.PoolClient;
    try {
      return await run<Row>(client, sent, values);
    } finally {
      client.release();
    }
  }

  /** Stops reads for a while, so that a server that fails again and again delays few of them. */
  #pause(reason: string): void {
    const now = performance.now();
    if (!this.isAvailable) return;
    const isRepeated = now - this.#availableSince < STABLE_MS && this.#pausedUntil > 0;
    this.#pauseMs = isRepeated ? Math.min(MAX_PAUSE_MS, this.#pauseMs * 2) : MIN_PAUSE_MS;
    this.#pausedUntil = now + this.#pauseMs;
    this.#setAvailable(false, reason);
  }

  #setAvailable(isAvailable: boolean, reason?: string): void {
    if (isAvailable === this.isAvailable && this.#isChecked) return;
    this.isAvailable = isAvailable;
    this.#isChecked = true;
    if (isAvailable) {
      this.#availableSince = performance.now();
      this.#log.info({ replica: this.name }, 'replica is used');
    } else this.#log.warn({ replica: this.name, reason }, 'replica is not used');
  }
}

async function run<Row>(client: ObservedClient, statement: PreparedText, values: readonly unknown[]) {
  const { name, text, isComposed } = statement;
  if (isComposed) await evictLeastRecentlyUsed(name, client);
  return rowsOf<Row>(statement, (await client.query({ name, text, values })).rows);
}

function noResponseError(): Error {
  return Object.assign(new Error('The replica does not respond'), { code: 'ETIMEDOUT' });
}
