/** A PostgreSQL client with a limit for every wait: for a connection, and for a server that does not respond to a statement. */
import type { Socket } from 'node:net';
import pg from 'pg';
import { hostUrls } from '../config/database-url.js';
import { connectionOf, isIdle } from './internals.js';
import { findPrimary, READ_ONLY } from './primary-host.js';

type RunTimeParameters = Readonly<Record<string, string | number>>;

export interface BoundedConfig extends pg.ClientConfig {
  /** Run-time parameters. Set after connecting, since poolers such as PgBouncer reject them in the startup packet. */
  readonly settings?: RunTimeParameters;
  /** Run-time parameters that are set where the server has them. */
  readonly optionalSettings?: RunTimeParameters;
  /** Receives the clock of the server after connecting, in milliseconds since 1970. */
  readonly onTime?: (serverMs: number) => void;
}

/**
 * What the service depends on, whatever the settings of the database or the role are. `default_transaction_read_only` is not changed: an
 * operator, or a full disk of a hosted database, stops writes with it.
 */
const OWN_SETTINGS: RunTimeParameters = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: 1,
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // For the hits of a search, 72 bytes for each page of the table: beyond it PostgreSQL computes the keys of all articles again, which takes minutes.
  work_mem: '32MB',
  // Data of this size is in memory or on an SSD, where random access costs little more than sequential access. The default of PostgreSQL is 4.
  random_page_cost: 1.1,
};

/** Time for connecting, including authentication and the run-time parameters. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Idle time before the first TCP keep-alive probe. A connection without a pending statement whose peer vanished ends a few seconds later. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Time for the server to close a connection that is ended. */
const END_TIMEOUT_MS = 1_000;
/** Added to `statement_timeout`: the server reports its own timeout first. */
const MARGIN_MS = 2_000;
const CHECK_INTERVAL_MS = 1_000;
/** Number of checks without a response after which another host is looked for, if the URL has several. */
const SUSPICIOUS_CHECKS = 2;

const open = new Set<BoundedClient>();

/**
 * If the server sends nothing for two seconds while a statement runs, and another host of the URL accepts writes now, all connections
 * to the server are closed. If it sends nothing for longer than `statement_timeout` while a statement runs, the connection is closed, and its
 * statements fail with ETIMEDOUT. So are the idle connections to that server from before: their statements would have to wait
 * as long. Without a `statement_timeout` there is no limit.
 */
export class BoundedClient extends pg.Client {
  /** Time of the last check that found received bytes, by `performance.now()`. */
  #lastReceivedAtMs = 0;
  readonly #settings: RunTimeParameters;
  readonly #optionalSettings: RunTimeParameters;
  readonly #onTime: (serverMs: number) => void;
  /** More than one if the URL has several hosts. */
  readonly #urls: readonly string[];

  constructor({ settings = {}, optionalSettings = {}, onTime = () => {}, ...config }: BoundedConfig) {
    const urls = config.connectionString === undefined ? [] : hostUrls(config.connectionString);
    super({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...config,
      ...(urls[0] !== undefined && { connectionString: urls[0] }),
    });
    this.#urls = urls;
    this.#settings = { ...OWN_SETTINGS, ...settings };
    this.#optionalSettings = optionalSettings;
    this.#onTime = onTime;
    // Errors are followed by `end`; an `error` event without a listener would end the process.
    this.on('error', () => {});
  }

  get statementTimeoutMs(): number {
    return Number(this.#settings.statement_timeout ?? 0);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's connect are kept unchanged.
  override connect(...[callback]: any[]): any {
    const opened = this.#open().then(() => this);
    if (!callback) return opened;
    opened.then((client) => callback(null, client), callback);
  }

  async #open(): Promise<void> {
    if (this.#urls.length > 1) await this.#choosePrimary();
    await super.connect();
    try {
      const settings = Object.entries(this.#settings).map(([name, value]) => `set ${name} = '${value}'`);
      const optional = Object.entries(this.#optionalSettings).map(
        ([name, value]) => `select set_config(name, '${value}', false) from pg_settings where name = '${name}'`,
      );
      const texts = [...settings, ...optional, 'select extract(epoch from clock_timestamp()) * 1000 as now'];
      const query = { text: texts.join('; '), query_timeout: CONNECT_TIMEOUT_MS };
      const results = [await super.query<{ now: string }>(query)].flat();
      this.#onTime(Number(results.at(-1)?.rows[0]?.now));
    } catch (error) {
      this.#stream.destroy();
      throw error;
    }
    this.#watch();
  }

  /** After a failover, connections to the previous primary end with their first write that it rejects. */
  async #choosePrimary(): Promise<void> {
    Object.assign(this, await this.#findPrimary());
    connectionOf(this).on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.#stream.destroy();
    });
  }

  /** Closes the connections to all other hosts. */
  async #findPrimary(): Promise<{ host: string; port: number }> {
    const { hostname, port: given } = new URL(await findPrimary(this.#urls));
    const [host, port] = [decodeURIComponent(hostname), Number(given || 5432)];
    for (const other of open) {
      const isElsewhere = other.host !== host || other.port !== port;
      if (isElsewhere && other.#urls.join() === this.#urls.join()) other.#stream.destroy(noResponseError());
    }
    return { host, port };
  }

  #watch(): void {
    const maxSilentChecks = Math.ceil((this.statementTimeoutMs + MARGIN_MS) / CHECK_INTERVAL_MS);
    let bytesRead = -1;
    let silentChecks = 0;
    const check = () => {
      const isWaiting = !isIdle(this) && this.#stream.bytesRead === bytesRead;
      if (this.#stream.bytesRead !== bytesRead) this.#lastReceivedAtMs = performance.now();
      bytesRead = this.#stream.bytesRead;
      // Counted in checks, not in time: if the event loop was blocked, the response may not have been read yet.
      silentChecks = isWaiting ? silentChecks + 1 : 0;
      if (silentChecks >= SUSPICIOUS_CHECKS && this.#urls.length > 1) this.#findPrimary().catch(() => {});
      if (silentChecks > maxSilentChecks && this.statementTimeoutMs > 0) this.#abandon();
    };
    check();
    const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
    open.add(this);
    this.once('end', () => {
      clearInterval(timer);
      open.delete(this);
    });
  }

  #abandon(): void {
    const silentSince = this.#lastReceivedAtMs;
    for (const other of open) {
      const isSuspect = isIdle(other) && other.#lastReceivedAtMs <= silentSince + CHECK_INTERVAL_MS;
      const isSameServer = other.host === this.host && other.port === this.port;
      if (other === this || (isSuspect && isSameServer)) other.#stream.destroy(noResponseError());
    }
  }

  /** Closes the connection at once; the server rolls back its transaction. @returns the error of its statements */
  abort(reason: string): Error {
    const error = Object.assign(new Error(reason), { code: 'ETIMEDOUT' });
    this.#stream.destroy(error);
    return error;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's end are kept unchanged.
  override end(...args: any[]): any {
    const timer = setTimeout(() => this.#stream.destroy(), END_TIMEOUT_MS).unref();
    this.once('end', () => clearTimeout(timer));
    return Reflect.apply(super.end, this, args);
  }

  get #stream(): Socket {
    return connectionOf(this).stream;
  }
}

function noResponseError(): Error {
  return Object.assign(new Error('The database server does not respond'), { code: 'ETIMEDOUT' });
}
