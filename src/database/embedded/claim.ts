/**
 * How several processes share one server: each holds a lock in it for as long as it lives, so that the last one to leave
 * can tell that it is the last. A process that is killed loses its session, and with it the lock.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EMBEDDED_SERVER_LOCK } from '../locks.js';
import { USER } from './cluster.js';

/** Advisory locks belong to one database, so every process holds its own in `daybook`. */
const DATABASE = 'daybook';

export interface ServerAddress {
  port: number;
  password: string;
}

export function urlOf({ port, password }: ServerAddress): string {
  return `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}

/** The hold of one process on the server, kept up until it is released. */
export class Claim {
  readonly #address: ServerAddress;
  readonly #isServer: () => Promise<boolean>;
  #session: pg.Client | undefined;
  #isReleased = false;

  /**
   * @param isServer whether the server is still there; asked before a lost session is opened anew.
   * @throws {pg.DatabaseError} with code 28P01 if the password is not the server's. Most others mean that it is being stopped.
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

  /** @returns true if no other process has a claim: newcomers then wait until `close`, and the server can be stopped. */
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

  /** After a crash of one session PostgreSQL ends all and goes on. Unclaimed, others would then stop the server under us. */
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
/** Longer than a stop may take, since whoever stops the server holds the lock against newcomers. */
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
  // The own lock goes first: of two that leave at once and keep theirs meanwhile, neither would be the last.
  await session.query('select pg_advisory_unlock_all()');
  const { rows } = await session.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(${EMBEDDED_SERVER_LOCK}) as taken`,
  );
  return rows[0]?.taken === true;
}

/** SQLSTATEs: there is no such database; another process made it just now, seen before or after its commit. */
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
    // Said outright, or a PGSSLMODE meant for another server would count.
    ssl: false,
    options: `-c lock_timeout=${LOCK_TIMEOUT_MS}`,
    application_name: 'daybook claim',
    connectionTimeoutMillis: 5_000,
  });
  // A session that is lost is seen by its end; an error event without a listener would end the process.
  session.on('error', () => undefined);
  await session.connect();
  return session;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
