/**
 * Which workers are alive: each holds an advisory lock for as long as its process is connected. What a dead one was at is
 * released, where graphile-worker would leave it alone for four hours.
 */
import pg from 'pg';
import { WORKER_LOCKS } from '../database/locks.js';
import type { Log } from '../observability/log.js';
import { VERSION } from '../version.js';

/** Milliseconds between looks for dead workers. */
const LOOK_INTERVAL = 10_000;
/** Milliseconds before another try where the database does not answer. */
const RECONNECT_WAIT = 1_000;

/** A machine that lost its power says no goodbye: seconds until PostgreSQL asks whether it is there, and between questions. */
const KEEPALIVE = '-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** Shared, so that two names with one hash do not wait for each other. */
const HOLD = `select pg_advisory_lock_shared(${WORKER_LOCKS}, hashtext($1))`;

/** pg_locks shows the two keys of a lock as unsigned numbers. */
const RELEASE_DEAD = `
  with locked as (
    select locked_by from graphile_worker._private_jobs where locked_by is not null
    union select locked_by from graphile_worker._private_job_queues where locked_by is not null
  ), dead as (
    select locked_by from locked where not exists (
      select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        and classid::bigint = ${WORKER_LOCKS} and objid::bigint = hashtext(locked_by)::bigint & 4294967295 and granted)
  )
  select count(*)::integer as dead, graphile_worker.force_unlock_workers(array_agg(locked_by)) from dead having count(*) > 0`;

export class Liveness {
  readonly #url: string;
  readonly #log: Log;
  readonly #held = new Set<string>();
  #client: Promise<pg.Client> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(url: string, log: Log) {
    this.#url = url;
    this.#log = log;
  }

  /** For the runner: a worker counts as alive before it takes its first job. */
  get plugin(): GraphileConfig.Plugin {
    return {
      name: 'DaybookLivenessPlugin',
      version: VERSION,
      worker: { hooks: { startWorker: (_context, { worker }) => this.hold(worker.workerId) } },
    };
  }

  /** From now on this worker counts as alive. */
  async hold(workerId: string): Promise<void> {
    this.#held.add(workerId);
    await this.#query(HOLD, [workerId]);
  }

  /** Looks for dead workers at once and then every ten seconds. */
  start(): void {
    const look = () =>
      this.#look().catch((error) => this.#log.warn({ err: error.name }, 'could not look for dead workers'));
    this.#timer = setInterval(look, LOOK_INTERVAL);
    void look();
  }

  /** From now on the workers of this process count as dead. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const client = await this.#client?.catch(() => null);
    await client?.end();
  }

  async #look(): Promise<void> {
    const [found] = await this.#query<{ dead: number }>(RELEASE_DEAD);
    if (found) this.#log.warn({ workers: found.dead }, 'jobs of dead workers run again');
  }

  /** One after the other. */
  #query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const turn = this.#last.then(async () => (await this.#connection()).query<Row>(text, values));
    this.#last = turn.catch(() => {});
    return turn.then(({ rows }) => rows);
  }

  #connection(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** Tries until it succeeds. */
  async #connect(): Promise<pg.Client> {
    for (;;) {
      const client = new pg.Client({
        connectionString: this.#url,
        application_name: 'daybook-workers',
        options: KEEPALIVE,
        keepAlive: true,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        for (const workerId of this.#held) await client.query(HOLD, [workerId]);
        // Not before: what breaks until here is this loop's.
        client.on('end', () => this.#reconnect());
        return client;
      } catch (error) {
        client.end().catch(() => {});
        if (this.#isStopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_WAIT));
      }
    }
  }

  /** Its locks went with the connection: until they are back, others may run again what runs here, which jobs can bear. */
  #reconnect(): void {
    if (this.#isStopped) return;
    this.#client = this.#connect();
    this.#client.catch(() => {});
  }
}
