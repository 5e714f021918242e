/** What an operator can do when a connection to the database fails. */
import type pg from 'pg';
import { BoundedClient } from './bounded-client.js';
import { sqlState } from './pool.js';

/** By SQLSTATE, or by the code of Node. */
const ADVICE: Record<string, string> = {
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '28000':
    'Allow this user to connect from this machine in pg_hba.conf of the server, or set another user in DATABASE_URL.',
  '3D000': 'Create the database with "createdb", or set another one in DATABASE_URL.',
  '53300': 'Raise max_connections of the server, or lower DATABASE_POOL_SIZE.',
  '57P03': 'The server is starting or stopping: try again.',
  ECONNREFUSED: 'Check that PostgreSQL is running and listens there, and that DATABASE_URL contains its host and port.',
  ENOTFOUND: 'No machine has this name: correct the host in DATABASE_URL.',
  EAI_AGAIN: 'The name could not be looked up: check the network, and the host in DATABASE_URL.',
};

/** @returns a sentence; undefined if the error is of another kind */
export function connectionAdvice(error: unknown): string | undefined {
  return ADVICE[sqlState(error) ?? ''];
}

/** What to do where one is found. */
export const USE_SESSIONS = 'Set DATABASE_URL to the server itself, or to a pooler in session mode';

/** For each statement: a pooler in session mode may have no session left for the second connection. */
const TIMEOUT_MS = 5_000;
/** The connections in this order, with repetitions: a pooler that uses two sessions in turn would give each connection the same one otherwise. */
const ORDER = [0, 1, 1, 0, 0, 1] as const;

/**
 * Whether two connections share sessions, or one of them changes its session.
 * @throws the error of the connection
 */
export async function isTransactionPooler(connectionString: string): Promise<boolean> {
  const open = (): pg.Client => new BoundedClient({ connectionString, application_name: 'daybook' });
  const clients = [open(), open()] as const;
  const sessions = [new Set<number>(), new Set<number>()] as const;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (const index of ORDER) {
      const query = { text: 'select pg_backend_pid() as pid', query_timeout: TIMEOUT_MS };
      const { rows } = await clients[index].query<{ pid: number }>(query);
      sessions[index].add(rows[0]?.pid ?? 0);
    }
    return new Set(sessions.flatMap((pids) => [...pids])).size !== 2 || sessions.some(({ size }) => size !== 1);
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
}
