/** What an operator can do when a connection to the database fails. */
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
