/**
 * Lets several processes share one server: each holds a shared advisory lock while it runs, so that the last process to stop
 * can detect that it is the last. If a process is killed, its session ends and PostgreSQL releases the lock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EMBEDDED_SERVER_LOCK } from '../locks.js';
import { USER } from './cluster.js';

/** Advisory locks are local to a database, so every process takes its lock in `daybook`. */
const DATABASE = 'daybook';

export interface ServerAddress {
  port: number;
  password: string;
}

export function urlOf({ port, password }: ServerAddress): string {
  return `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}

/** The shared lock of one process on the server. A lost session is opened again until `release` is called. */
export class Claim {
  readonly #address: ServerAddress;
  readonly #isServer: () => Promise<boolean>;
  #session: pg.Client | undefined;
  #isReleased = false;

  /**
   * @param isServer whether the server still runs; called before a lost session is opened again.
   * @throws {pg.DatabaseError} with code 28P01 if the password is wrong. Most other errors mean that the server is being stopped.
   */
  static async make(address: ServerAddress, isServer: () => Promise<boolean>): Promise<Claim> {
    await ensureDatabase(address);
    return new Claim(address, isServer, await holdLock(address));
  }

  private constructor(address: ServerAddress, isServer: () => Promise<boolean>, session: pg.Client) {
    this.#address = address;
    this.#isServer = isServer;
    this.#keep(session);
  }

  /** @returns true if no other process has a claim: new claims then block until `close`, and the server can be stopped. */
  async release(): Promise<boolean> {
    this.#isReleased = true;
    this.#session ??= await connect(this.#address, DATABASE).catch(() => undefined);
    return this.#session ? isLast(this.#session).catch(() => false) : false;
  }

  async close(): Promise<void> {
    await this.#session?.end();
  }

  #keep(session: pg.Client): void {
    this.#session = session;
    session.once('end', () => void this.#renew());
  }

  /**
   * Takes the lock again. After a crash of one backend PostgreSQL terminates all sessions and restarts; without a new lock another
   * process could stop the server while this process uses it.
   */
  async #renew(): Promise<void> {
    this.#session = undefined;
    while (!this.#isReleased && !this.#session && (await this.#isServer())) {
      const session = await holdLock(this.#address).catch(() => undefined);
      if (session && this.#isReleased) await session.end();
      else if (session) this.#keep(session);
      else await delay(RENEW_MS, undefined, { ref: false });
    }
  }
}

const RENEW_MS = 500;
/** Longer than a stop of the server can take: the stopping process holds the exclusive lock, and new claims wait for it. */
const LOCK_TIMEOUT_MS = 20_000;

async function holdLock(address: ServerAddress): Promise<pg.Client> {
  const session = await connect(address, DATABASE);
  try {
    await session.query(`select pg_advisory_lock_shared(${EMBEDDED_SERVER_LOCK})`);
    return session;
  } catch (error) {
    await session.end();
    throw error;
  }
}

async function isLast(session: pg.Client): Promise<boolean> {
  // Releases its own lock first: if two processes stop at once and both kept their shared locks, neither would get the exclusive lock.
  await session.query('select pg_advisory_unlock_all()');
  const { rows } = await session.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(${EMBEDDED_SERVER_LOCK}) as taken`,
  );
  return rows[0]?.taken === true;
}

/** SQLSTATEs: invalid_catalog_name; duplicate_database and unique_violation, if another process created it concurrently. */
const NO_DATABASE = '3D000';
const DUPLICATES = new Set(['42P04', '23505']);

async function ensureDatabase(address: ServerAddress): Promise<void> {
  try {
    const session = await connect(address, DATABASE);
    await session.end();
  } catch (error) {
    if (codeOf(error) !== NO_DATABASE) throw error;
    await createDatabase(address);
  }
}

async function createDatabase(address: ServerAddress): Promise<void> {
  const session = await connect(address, 'postgres');
  try {
    await session.query(`create database ${DATABASE}`);
  } catch (error) {
    if (!DUPLICATES.has(codeOf(error) ?? '')) throw error;
  } finally {
    await session.end();
  }
}

async function connect({ port, password }: ServerAddress, database: string): Promise<pg.Client> {
  const session = new pg.Client({
    host: '127.0.0.1',
    port,
    user: USER,
    password,
    database,
    // Set explicitly: otherwise a PGSSLMODE in the environment, set for another server, would apply.
    ssl: false,
    options: `-c lock_timeout=${LOCK_TIMEOUT_MS}`,
    application_name: 'daybook claim',
    connectionTimeoutMillis: 5_000,
  });
  // The `end` event reports a lost session; an `error` event without a listener would terminate the process.
  session.on('error', () => undefined);
  await session.connect();
  return session;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
