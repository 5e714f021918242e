/**
 * Each worker of the queue holds a session-level advisory lock while its process is connected. Jobs of a dead worker are
 * unlocked; graphile-worker itself would leave them locked for four hours.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { closeConnection, openConnection } from '../platform/database/dedicated-connection.js';
import { WORKER_LOCKS } from '../platform/database/locks.js';
import { describeError } from '../platform/database/mask-error.js';
import { DELETE_REPLACED, LOCKING_WORKERS, resetFutureTimes } from '../platform/database/queue-tables.js';
import type { Log } from '../platform/observability/log.js';
import { VERSION } from '../platform/version.js';

/** Interval of the check for dead workers and for times in the future. */
const CHECK_INTERVAL_MS = 10_000;
const RECONNECT_DELAY_MS = 1_000;

/** In milliseconds; and TCP keepalive of the server in seconds, to detect a machine that lost power: idle time, probe interval, number of probes. */
const SETTINGS = {
  statement_timeout: 10_000,
  tcp_keepalives_idle: 20,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** A shared lock, so that two worker ids with the same hash do not block each other. */
const ACQUIRE_LOCK = `select pg_advisory_lock_shared(${WORKER_LOCKS}, hashtext($1))`;

/** pg_locks shows the two keys of a lock as unsigned numbers. */
const RELEASE_DEAD = `
  with dead as (
    select locked_by from (${LOCKING_WORKERS}) as locked where not exists (
      select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        and classid::bigint = ${WORKER_LOCKS} and objid::bigint = hashtext(locked_by)::bigint & 4294967295 and granted)
  )
  select count(*)::integer as dead, graphile_worker.force_unlock_workers(array_agg(locked_by)) from dead having count(*) > 0`;

export class WorkerLocks {
  readonly #url: string;
  readonly #log: Log;
  readonly #reconnectDelayMs: number;
  readonly #workerIds = new Set<string>();
  #client: Promise<pg.Client> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param reconnectDelayMs the delay after each failed attempt to connect; a test shortens it */
  constructor(url: string, log: Log, reconnectDelayMs = RECONNECT_DELAY_MS) {
    this.#url = url;
    this.#log = log;
    this.#reconnectDelayMs = reconnectDelayMs;
  }

  /** graphile-worker plugin: acquires the lock of a worker before the worker takes its first job. */
  get plugin(): GraphileConfig.Plugin {
    return {
      name: 'DaybookWorkerLocksPlugin',
      version: VERSION,
      worker: { hooks: { startWorker: (_context, { worker }) => this.hold(worker.workerId) } },
    };
  }

  get workerIds(): readonly string[] {
    return [...this.#workerIds];
  }

  /** Acquires the advisory lock of this worker. */
  async hold(workerId: string): Promise<void> {
    this.#workerIds.add(workerId);
    await this.#query(ACQUIRE_LOCK, [workerId]);
  }

  /** Checks for dead workers and for times in the future: at once, and then every ten seconds. */
  start(): void {
    const check = () =>
      this.#correct().catch((error) => this.#log.warn({ err: describeError(error) }, 'check for dead workers failed'));
    this.#timer = setInterval(check, CHECK_INTERVAL_MS);
    void check();
  }

  /** Closes the connection, which releases the locks of all workers of this process. Does not wait for the server. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#client?.then(closeConnection, () => {});
  }

  async #correct(): Promise<void> {
    await resetFutureTimes((text) => this.#query(text), this.#log);
    const [found] = await this.#query<{ dead: number }>(RELEASE_DEAD);
    if (found) this.#log.warn({ workers: found.dead }, 'jobs of dead workers released');
    const [deleted] = await this.#query<{ jobs: number }>(DELETE_REPLACED);
    if (deleted)
      this.#log.warn(deleted, 'jobs that failed after later ones had replaced them, or whose workers died, deleted');
  }

  /** Queries run one after the other on the single connection. */
  #query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const result = this.#last.then(async () => (await this.#connection()).query<Row>(text, values));
    this.#last = result.catch(() => {});
    return result.then(({ rows }) => rows);
  }

  #connection(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** Retries until it succeeds. @throws the connection error after `stop` */
  async #connect(): Promise<pg.Client> {
    for (;;) {
      try {
        const client = await openConnection(
          { connectionString: this.#url, application_name: 'daybook-workers', settings: SETTINGS },
          async (client) => {
            for (const workerId of this.#workerIds) await client.query(ACQUIRE_LOCK, [workerId]);
          },
        );
        client.on('end', () => this.#reconnect());
        return client;
      } catch (error) {
        if (this.#isStopped) throw error;
        await delay(this.#reconnectDelayMs);
      }
    }
  }

  /** The locks ended with the connection. Until they are reacquired, other processes may rerun the running jobs, which jobs tolerate. */
  #reconnect(): void {
    if (this.#isStopped) return;
    this.#client = this.#connect();
    this.#client.catch(() => {});
  }
}
