/** A connection outside the pool, for advisory locks of a session and for LISTEN. */
import type pg from 'pg';
import { BoundedClient, type BoundedConfig } from './bounded-client.js';

/**
 * Emits `end` when the connection is lost. The caller decides whether and when to open it again.
 * @param prepare runs the first statements
 * @throws the error of the connection or of `prepare`, after closing the connection
 */
export async function openConnection(
  config: BoundedConfig,
  prepare: (client: pg.Client) => Promise<unknown> = async () => {},
): Promise<pg.Client> {
  const client = new BoundedClient(config);
  try {
    await client.connect();
    await prepare(client);
    return client;
  } catch (error) {
    closeConnection(client);
    throw error;
  }
}

/** Closes the connection without waiting for the server, which may be unreachable. */
export function closeConnection(client: pg.Client): void {
  client.end().catch(() => {});
}
