/**
 * Lets several processes share one server: each holds a shared advisory lock while it runs, so that the last process to stop
 * can detect that it is the last. If a process is killed, its session ends and PostgreSQL releases the lock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { backoffMs } from '../../concurrency/backoff.js';
import { openConnection } from '../dedicated-connection.js';
import { EMBEDDED_SERVER_LOCK } from '../locks.js';
import { USER } from './data-directory.js';

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
export class ServerLock {
  readonly #address: ServerAddress;
  readonly #restartServer: () => Promise<boolean>;
  #session: pg.Client | undefined;
  #reacquiring: Promise<void> = Promise.resolve();
  #isReleased = false;

  /**
   * @param restartServer starts the server if it has ended; called before a lost session is opened again. False: it cannot be started.
   * @throws {pg.DatabaseError} with code 28P01 if the password is wrong. Most other errors mean that the server is being stopped.
   */
  static async acquire(address: ServerAddress, restartServer: () => Promise<boolean>): Promise<ServerLock> {
    await ensureDatabase(address);
    return new ServerLock(address, restartServer, await openLockSession(address));
  }

  private constructor(address: ServerAddress, restartServer: () => Promise<boolean>, session: pg.Client) {
    this.#address = address;
    this.#restartServer = restartServer;
    this.#keep(session);
  }

  /** @returns true if no other process has the lock: others that acquire it then wait until `close`, and the server can be stopped. */
  async release(): Promise<boolean> {
    this.#isReleased = true;
    await this.#reacquiring;
    this.#session ??= await connect(this.#address, DATABASE).catch(() => undefined);
    return this.#session ? isLast(this.#session).catch(() => false) : false;
  }

  async close(): Promise<void> {
    await this.#session?.end();
  }

  #keep(session: pg.Client): void {
    this.#session = session;
    session.once('end', () => {
      if (!this.#isReleased) this.#reacquiring = this.#reacquire();
    });
  }

  /**
   * Takes the lock again. After a crash of one backend PostgreSQL terminates all sessions and restarts; without a new lock another
   * process could stop the server while this process uses it. If the server itself has ended, one of its processes starts it again.
   */
  async #reacquire(): Promise<void> {
    this.#session = undefined;
    for (let attempt = 1; !this.#isReleased && !this.#session; attempt++) {
      await delay(backoffMs(attempt, BACKOFF), undefined, { ref: false });
      if (this.#isReleased || !(await this.#restartServer())) return;
      const session = await openLockSession(this.#address).catch(() => undefined);
      if (session) this.#keep(session);
    }
  }
}

const BACKOFF = { firstMs: 250, maxMs: 5_000 };
/** Longer than a stop of the server can take: the stopping process holds the exclusive lock, and processes that acquire the lock wait for it. */
const LOCK_TIMEOUT_MS = 20_000;

function openLockSession(address: ServerAddress): Promise<pg.Client> {
  return connect(address, DATABASE, (session) =>
    session.query(`select pg_advisory_lock_shared(${EMBEDDED_SERVER_LOCK})`),
  );
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
    await (await connect(address, DATABASE)).end();
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

function connect(
  { port, password }: ServerAddress,
  database: string,
  prepare?: (session: pg.Client) => Promise<unknown>,
): Promise<pg.Client> {
  const config = {
    host: '127.0.0.1',
    port,
    user: USER,
    password,
    database,
    // Set explicitly: otherwise a PGSSLMODE in the environment, set for another server, would apply.
    ssl: false,
    settings: { statement_timeout: LOCK_TIMEOUT_MS },
    application_name: 'daybook server lock',
  };
  return openConnection(config, prepare);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
