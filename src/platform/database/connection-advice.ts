/** What an operator can do when a connection to the database fails. */
import { sqlState } from './pool.js';

/** By SQLSTATE, or by the code of Node. @param setting the name of the setting that has the URL */
const ADVICE: Record<string, (setting: string) => string> = {
  '28P01': (setting) => `Correct the user and the password in ${setting}.`,
  '28000': (setting) =>
    `Allow this user to connect from this machine in pg_hba.conf of the server, or set another user in ${setting}.`,
  '3D000': (setting) => `Create the database with "createdb", or set another one in ${setting}.`,
  '53300': () => 'Raise max_connections of the server, or lower DATABASE_POOL_SIZE.',
  '57P03': () => 'The server is starting or stopping: try again.',
  ECONNREFUSED: (setting) =>
    `Check that PostgreSQL is running and listens there, and that ${setting} contains its host and port.`,
  ENOTFOUND: (setting) => `No machine has this name: correct the host in ${setting}.`,
  EAI_AGAIN: (setting) => `The name could not be looked up: check the network, and the host in ${setting}.`,
};

/** @returns a sentence; undefined if the error is of another kind */
export function connectionAdvice(error: unknown, setting: string): string | undefined {
  return ADVICE[sqlState(error) ?? '']?.(setting);
}
